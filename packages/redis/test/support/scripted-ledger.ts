import { deepStrictEqual } from "node:assert/strict";
import type { Farewell, GroupSnapshot, MemberRef, Registration, Report, View } from "@dt/core";
import type { LimitRecordRow, SlotRow } from "@dt/core/ledger";
import type { TimedGroups } from "@dt-tooling/simulator/ledger-operations";
import type { ReferenceTable } from "@dt-tooling/simulator/reference-table";
import type { Redis } from "ioredis";
import { groupKeys, limitKey } from "../../src/keys.ts";
import { isWithoutSlotKeys, parseRegistered, parseSnapshot, parseView } from "../../src/reply/groups.ts";
import {
  deregisterArguments,
  isOfSemaphore,
  limitArguments,
  registerArguments,
  syncArguments,
} from "../../src/script/arguments.ts";
import type { Script } from "../../src/script/scripts.ts";
import { type Scripts, scriptsWithClock } from "../../src/script/scripts.ts";
import testClock from "./test-clock.lua";

/** The scripts at the time that a test says. */
export const timedScripts = scriptsWithClock(testClock);

/** The fields of rows in their order: see formats.lua. The rest of a group's row is the scripts' own. */
const GROUP = [
  ...[
    "lastMs",
    "generation",
    "memberCount",
    "held",
    "adopted",
    "capacity",
    "largestMemberCount",
    "intervalMs",
    "createdAtMs",
  ],
  ...["learnFromMs", "learnUntilMs", "offsetMs", "lapsedMs", "quietLimitMs", "longestStaleMs", "clockErrorMs"],
  ...["aheadUntilMs", "repairs", "keepMs", "keptAtMs", "freedEpoch", "spent", "hungryMs", "packedWants", "earliestMs"],
  "pausedUntilMs",
  ...["revision", "max"],
];
const MEMBER = [
  ...[
    "seq",
    "expiresAtMs",
    "activity",
    "id",
    "rank",
    "generation",
    "memberCount",
    "held",
    "max",
    "level",
    "staleAfterMs",
  ],
  ...["clockErrorMs", "resumeWithinMs", "standing", "joined", "want", "odd", "gaveUpMs", "restUntilMs"],
];

const SLOTS = [
  ...["held", "want", "seq", "head", "sinceMs", "tier", "reportedMs", "offeredMs", "askedMs", "asked", "heldSinceMs"],
];

const STORED = `
  local function texts(packed)
    local values = { cmsgpack.unpack(packed) }
    for i, value in ipairs(values) do values[i] = type(value) == 'number' and string.format('%.17g', value) or tostring(value) end
    return values
  end
  local stored, rows = {}, redis.call('HGETALL', KEYS[1])
  for i = 1, #rows, 2 do
    if rows[i] == 'group' then
      local wants = ({ cmsgpack.unpack(rows[i + 1]) })[25]
      stored[#stored + 1] = { '', texts(rows[i + 1]), wants == '' and {} or texts(wants) }
    elseif string.sub(rows[i], 1, 2) == 'm:' or string.sub(rows[i], 1, 2) == 's:' then
      stored[#stored + 1] = { rows[i], texts(rows[i + 1]), {} }
    end
  end
  return stored`;

const MISPLACED = `
  local misplaced, rows = {}, redis.call('HGETALL', KEYS[1])
  for i = 1, #rows, 2 do
    if string.sub(rows[i], 1, 2) == 'm:' then
      local incarnation, over_ms = string.sub(rows[i], 3), ({ cmsgpack.unpack(rows[i + 1]) })[3]
      local place_ms = tonumber(redis.call('ZSCORE', KEYS[2], incarnation) or 0)
      if place_ms < over_ms or place_ms >= over_ms + 4096 then
        misplaced[#misplaced + 1] = incarnation .. ' stands at ' .. place_ms .. ', its time is over at ' .. over_ms
      end
    end
  end
  return misplaced`;

/** The scripts on a real server, at the time that the caller says. */
export class ScriptedLedger implements TimedGroups {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #scripts: Scripts;

  constructor(redis: Redis, prefix: string, scripts: Scripts = timedScripts) {
    this.#redis = redis;
    this.#prefix = prefix;
    this.#scripts = scripts;
  }

  async register(group: string, registration: Registration, clockMs: number): Promise<View> {
    const args = registerArguments(registration);
    const reply = await this.#run(this.#scripts.register, group, args, clockMs, registration);
    return parseRegistered(reply, registration.intervalMs);
  }

  async sync(group: string, member: MemberRef, report: Report, clockMs: number): Promise<View> {
    const args = syncArguments(member, report);
    return parseView(await this.#run(this.#scripts.sync, group, args, clockMs, report));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, clockMs: number): Promise<void> {
    await this.#run(this.#scripts.deregister, group, deregisterArguments(member, farewell), clockMs);
  }

  async inspect(group: string, clockMs: number): Promise<GroupSnapshot> {
    return parseSnapshot(await this.#run(this.#scripts.inspect, group, [], clockMs), group);
  }

  async compareRows(group: string, expected: ReferenceTable): Promise<void> {
    deepStrictEqual(await this.#misplaced(group), []);
    const { slots, ...rows } = await this.#stored(group);
    deepStrictEqual(rows, { group: expected.group(), members: expected.members() });
    const expectedSlots = [...expected.slots.rows.values()];
    deepStrictEqual(slots, Object.fromEntries(expectedSlots.map((row) => [row.incarnation, row])));
    const queued = expectedSlots.filter(({ sinceMs }) => sinceMs !== null);
    const [queue, holders] = await Promise.all(groupKeys(this.#prefix, group).slotKeys.map((key) => this.#scores(key)));
    deepStrictEqual(
      queue,
      scoresOf(queued, ({ sinceMs, tier }) => (sinceMs as number) + tier * 2 ** 43),
    );
    deepStrictEqual(
      holders,
      scoresOf(expectedSlots, ({ held }) => 0 - held),
    );
  }

  /** A sorted set without the member that marks its end. */
  async #scores(key: string): Promise<Record<string, number>> {
    const pairs = await this.#redis.zrange(key, "0", "-1", "WITHSCORES");
    const entries = pairs.flatMap((name, i) => (i % 2 || name === "" ? [] : [[name, Number(pairs[i + 1])] as const]));
    return Object.fromEntries(entries);
  }

  /** The rows of a group and its members as they are stored, in the words of @dt/core. */
  async #stored(group: string): Promise<{ group: unknown; members: unknown[]; slots: Record<string, unknown> }> {
    const key = groupKeys(this.#prefix, group).keys[0] as string;
    const rows = (await this.#redis.eval(STORED, 1, key)) as [string, string[], string[]][];
    const all = {
      group: undefined as unknown,
      members: [] as { rank?: unknown; [field: string]: unknown }[],
      slots: {} as Record<string, unknown>,
    };
    for (const [field, [, ...values], wants] of rows) {
      const incarnation = field.slice(2);
      if (field.startsWith("s:")) {
        all.slots[incarnation] = { incarnation, ...named(SLOTS, values) };
        continue;
      }
      if (field !== "") {
        const { odd, activity, ...member } = named(MEMBER, values);
        const [used, waiting] = activity === "" ? [] : String(activity).split(" ").map(Number);
        const does = used === undefined ? null : { used, waiting };
        all.members.push({ ...member, incarnation, odd: odd !== null, activity: does });
        continue;
      }
      const { keepMs, keptAtMs, packedWants, earliestMs, revision, max, ...shared } = named(GROUP, values);
      const stored = revision === null ? null : { revision, values: { max } };
      const counts = wants.map(Number);
      all.group = { ...shared, stored, wants: counts.flatMap((want, i) => (i % 2 ? [] : [[want, counts[i + 1]]])) };
    }
    all.members.sort((a, b) => Number(a.rank) - Number(b.rank));
    return all;
  }

  /** Members whom the sorted set of expiry has before their time is over, or a step of its grid after that. */
  #misplaced(group: string): Promise<unknown> {
    const [rows, expiry] = groupKeys(this.#prefix, group).keys as [string, string];
    return this.#redis.eval(MISPLACED, 2, rows, expiry);
  }

  async loseData(group: string): Promise<void> {
    const { keys, slotKeys } = groupKeys(this.#prefix, group);
    await this.#redis.del(...keys, ...slotKeys);
  }

  async setLimit(name: string, record: LimitRecordRow): Promise<void> {
    const key = limitKey(this.#prefix, { kind: "group", name });
    await this.#redis.eval(this.#scripts.writeLimit.text, 1, key, "", ...limitArguments(null, record));
  }

  async #run(
    script: Script,
    group: string,
    args: readonly string[],
    clockMs: number,
    asked?: Registration | Report,
  ): Promise<unknown> {
    const { keys, slotKeys, channel } = groupKeys(this.#prefix, group);
    const record = asked?.stored ? [limitKey(this.#prefix, { kind: "group", name: group })] : [];
    await this.#redis.set("{dt-test}:clock", String(clockMs));
    const run = (ofSlots: readonly string[]): Promise<unknown> => {
      const names = [...keys, ...ofSlots, ...record];
      return this.#redis.eval(script.text, names.length, ...names, channel, ...args);
    };
    const reply = await run(asked && isOfSemaphore(asked) ? slotKeys : []);
    return isWithoutSlotKeys(reply) ? run(slotKeys) : reply;
  }
}

function scoresOf(rows: readonly SlotRow[], score: (row: SlotRow) => number): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [row.incarnation, score(row)]));
}

/** Stored values by their names; false is null. */
function named(names: readonly string[], values: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name, i) => {
      const value = values[i] as string;
      const isNumber = value !== "" && Number.isFinite(Number(value));
      return [name, value === "false" ? null : isNumber ? Number(value) : value];
    }),
  );
}
