import type { Farewell, GroupSnapshot, MemberRef, Registration, Report, View } from "@dt/core";
import type { Redis } from "ioredis";
import { groupKeys } from "../../src/keys.ts";
import { parseSnapshot } from "../../src/reply/snapshot.ts";
import { parseRegistered, parseView } from "../../src/reply/view.ts";
import { deregisterArguments, registerArguments, syncArguments } from "../../src/script/arguments.ts";
import type { Script } from "../../src/script/script.ts";
import { scriptsWithClock } from "../../src/script/scripts.ts";
import testClock from "./test-clock.lua";

const scripts = scriptsWithClock(testClock);

const BESIDE = `
  local values = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1]) or '') }
  for i, value in ipairs(values) do values[i] = value and string.format('%.17g', value) or 'false' end
  return values`;

const MISPLACED = `
  local misplaced, rows = {}, redis.call('HGETALL', KEYS[1])
  for i = 1, #rows, 2 do
    if string.sub(rows[i], 1, 2) == 'm:' then
      local incarnation, over_ms = string.sub(rows[i], 3), ({ cmsgpack.unpack(rows[i + 1]) })[13]
      local place_ms = tonumber(redis.call('ZSCORE', KEYS[2], incarnation) or 0)
      if place_ms < over_ms or place_ms >= over_ms + 4096 then
        misplaced[#misplaced + 1] = incarnation .. ' stands at ' .. place_ms .. ', its time is over at ' .. over_ms
      end
    end
  end
  return misplaced`;

/** The scripts on a real server, at the time that the caller says. */
export class ScriptedLedger {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  async register(group: string, registration: Registration, clockMs: number): Promise<View> {
    const reply = await this.#run(scripts.register, group, registerArguments(registration), clockMs);
    return parseRegistered(reply, registration.intervalMs);
  }

  async sync(group: string, member: MemberRef, report: Report, clockMs: number): Promise<View> {
    return parseView(await this.#run(scripts.sync, group, syncArguments(member, report), clockMs));
  }

  async deregister(group: string, member: MemberRef, farewell: Farewell, clockMs: number): Promise<void> {
    await this.#run(scripts.deregister, group, deregisterArguments(member, farewell), clockMs);
  }

  async inspect(group: string, clockMs: number): Promise<GroupSnapshot> {
    return parseSnapshot(await this.#run(scripts.inspect, group, [], clockMs), group);
  }

  /** What stands beside the group's row of freed tokens (R20), without what only the scripts have there. */
  async freedBeside(group: string): Promise<readonly (number | null)[]> {
    return (await this.#beside(group, "freed")).slice(0, 6);
  }

  /** What stands beside it of what members want (R21). */
  wantsBeside(group: string): Promise<readonly (number | null)[]> {
    return this.#beside(group, "wants");
  }

  /** Members whom the sorted set of expiry has before their time is over, or a step of its grid after that. */
  misplaced(group: string): Promise<unknown> {
    const [rows, expiry] = groupKeys(this.#prefix, group).keys as [string, string];
    return this.#redis.eval(MISPLACED, 2, rows, expiry);
  }

  async #beside(group: string, field: string): Promise<readonly (number | null)[]> {
    const rows = groupKeys(this.#prefix, group).keys[0] as string;
    const values = (await this.#redis.eval(BESIDE, 1, rows, field)) as string[];
    return values.map((value) => (value === "false" ? null : Number(value)));
  }

  async loseData(group: string): Promise<void> {
    await this.#redis.del(...groupKeys(this.#prefix, group).keys);
  }

  async #run(script: Script, group: string, args: readonly string[], clockMs: number): Promise<unknown> {
    const { keys, channel } = groupKeys(this.#prefix, group);
    await this.#redis.set("{dt-test}:clock", String(clockMs));
    return this.#redis.eval(script.text, keys.length, ...keys, channel, ...args);
  }
}
