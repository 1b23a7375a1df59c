import type { Activity, Registration, Report } from "@dt/core";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { beforeEach, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";

/** What members do (R27). */

useServer();

const NOW_MS = 4_000_000_000_500;

let prefixes = 0;
let prefix: string;
let ledger: ScriptedLedger;
let [a, b]: Registration[] = [];

beforeEach(async () => {
  prefix = `activity-${process.pid}-${prefixes++}`;
  ledger = new ScriptedLedger(redis, prefix);
  [a, b] = [newcomer({ id: "a" }), newcomer({ id: "b" })];
  for (const member of [a, b]) await ledger.register("g", member as Registration, NOW_MS);
});

async function reports(member: Registration | undefined, seq: number, activity?: Activity): Promise<void> {
  const all = { status: "disagree", generation: 0, members: 0, entitled: 0, capacity: 10 };
  const sent: Report = { ...adopting(all as never, seq), ...(activity && { activity }) };
  await ledger.sync("g", member as Registration, sent, NOW_MS + seq);
}

/** What a process sees of each member. */
async function shown(): Promise<unknown[]> {
  const { members } = await ledger.inspect("g", NOW_MS + 100);
  return members.map(({ id, used, waiting }) => [id, used, waiting]);
}

test("a heartbeat that changes nothing else tells it, too, and one that says nothing takes it away", async () => {
  const member = newcomer({ id: "alone", max: 10 });
  let view = accepted(await ledger.register("alone", member, NOW_MS));
  const said = [undefined, undefined, { used: 7, waiting: 3 }, { used: 0, waiting: 12 }, undefined];
  for (const [i, activity] of said.entries()) {
    const report = { ...adopting(view, i + 2), ...(activity && { activity }) };
    view = accepted(await ledger.sync("alone", member, report, NOW_MS + 300 * (i + 1)));
    expect(view).toMatchObject({ status: "agree", held: 10 });
    const [shownNow] = (await ledger.inspect("alone", NOW_MS + 2_000)).members;
    expect([shownNow?.used, shownNow?.waiting]).toEqual([activity?.used, activity?.waiting]);
  }
});

test.each(["", "7", "7 3 1", "-1 0", "7 x", "1e3 0", "1000000000001 0", "7  3", "\u{81}7"])(
  "what somebody wrote as %j counts as nothing, and nothing is damaged",
  async (text) => {
    await reports(a, 2, { used: 7, waiting: 3 });
    await redis.eval(
      `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) } row[4] = ARGV[2]
      redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(row)))`,
      1,
      groupKeys(prefix, "g").keys[0] as string,
      `m:${a?.incarnation}`,
      text,
    );
    expect(await shown()).toEqual([
      ["a", undefined, undefined],
      ["b", undefined, undefined],
    ]);
    await reports(a, 3, { used: 0, waiting: 0 });
    expect(await shown()).toEqual([
      ["a", 0, 0],
      ["b", undefined, undefined],
    ]);
  },
);
