import type { MemberView, Registration, Report } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { redis as admin, store, useServer } from "./support/own-server.ts";
import { SlotMember } from "./support/slot-member.ts";

/**
 * What a sync costs, from the server's own counters (INFO commandstats): counts, not times, which the benchmarks
 * measure.
 */

// Counters are the whole server's: it must be ours alone.
useServer({ control: true });

const steady = { evalsha: 1, time: 1, hmget: 1, hset: 1 };
const byDemand = { ...steady, zadd: 1, zcard: 1 };

describe("a sync", () => {
  const demand = { want: 2, syncMs: 1_000 };

  test.each([1, 10, 1_000, 10_000])(
    "among %i members that agree is one command with the same three inside, and one more when the member's place changes",
    async (members) => {
      const { zadd = 0, ...rest } = await spentBySync(`flat-${members}`, members, {});
      expect(rest).toEqual(steady);
      expect(zadd).toBeLessThanOrEqual(1);
    },
  );

  test.each([1, 10, 1_000])(
    "among %i members that share by demand is one command with the same five inside",
    async (members) => expect(await spentBySync(`demand-${members}`, members, { demand })).toEqual(byDemand),
    60_000,
  );

  test.each([1, 10, 1_000])(
    "among %i members of a semaphore is one command with the same six inside",
    async (members) => {
      const slots = { waiting: 0, head: 0, tookOffer: false };
      const spent = await spentBySync(`semaphore-${members}`, members, { demand: { ...demand, slots } });
      expect(spent).toEqual({ ...byDemand, zrange: 1 });
    },
  );

  test("sends nothing but itself", async () => {
    const registration = newcomer();
    const first = await store.register("alone", registration);
    for (const seq of [2, 3]) await store.sync("alone", registration, adopting(first, seq));
    const before = await counters();
    for (let seq = 4; seq < 54; seq++) await store.sync("alone", registration, adopting(first, seq));
    const { zadd = 0, ...rest } = difference(await counters(), before);
    expect(rest).toEqual({ ...Object.fromEntries(Object.keys(steady).map((command) => [command, 50])), info: 1 });
    expect(zadd).toBeLessThanOrEqual(50);
  });

  test("looks for stale members again when the first one's time would be over", async () => {
    const brief = newcomer({ staleAfterMs: 200 });
    const lasting = newcomer({ staleAfterMs: 600_000 });
    await store.register("looks", lasting);
    await store.register("looks", brief);
    const view = async (seq: number) =>
      accepted(await store.sync("looks", lasting, { seq, generation: 0, members: 0, held: 0, max: 10, level: null }));
    let seq = 2;
    expect(await view(seq)).toMatchObject({ members: 2 });
    await until("it was removed", 5_000, async () => (await view(++seq)).members === 1);
  });
});

describe("a slot that moves from one member to another of many", () => {
  test.each([2, 10, 1_000])(
    "is one command of each with a bounded number inside: the report of the one that gives it up sends the hint, among %i",
    async (members) => {
      const all = [];
      for (let i = 0; i < members; i++)
        all.push(new SlotMember(store, { max: 1, staleAfterMs: 600_000 }, `handed-over-${members}`));
      await Promise.all(all.map(({ registration }) => store.register(`handed-over-${members}`, registration)));
      const [from, to] = all.slice(-2) as [SlotMember, SlotMember];
      await all[0]?.report(0, 0);
      await from.report(0, 1);
      let hints = 0;
      await store.onSlotHint?.(`handed-over-${members}`, to.registration, () => {
        hints += 1;
      });
      const before = await counters();
      expect(await to.report(0, 1)).toMatchObject({ held: 0 });
      const waiting = await counters();
      expect(await from.report(0, 0)).toMatchObject({ held: 0 });
      const given = await counters();
      await until("the hint came", 5_000, () => hints === 1);
      // The place in the queue, those that hold most and their rows, and the hint that asks for a slot.
      expect(difference(waiting, before)).toEqual({
        ...{ ...byDemand, hmget: 2, zadd: 2, zrange: 2 },
        ...{ hget: 1, publish: 1, info: 1 },
      });
      // What two members hold, the queue and its rows, the row of the one that is raised, and the hint of its offer.
      expect(difference(given, waiting)).toEqual({
        ...{ ...byDemand, hmget: 2, zadd: 4, zrange: 1 },
        ...{ hget: 2, publish: 1, info: 1 },
      });
    },
  );
});

/** The commands inside a sync of some of so many members, once all of them have what they are due. */
async function spentBySync(
  group: string,
  members: number,
  { demand }: Pick<Report, "demand">,
): Promise<Record<string, number>> {
  const registrations = Array.from({ length: members }, () =>
    newcomer({
      ...{ max: 2 * members, staleAfterMs: 600_000 },
      ...(demand && { demand }),
      ...(demand?.slots && { intervalMs: 1 }),
    }),
  );
  const sync = async (registration: Registration, view: MemberView, seq: number): Promise<MemberView> => {
    const held = Math.min(view.entitled, 2);
    const report = { ...adopting(view, seq, { max: 2 * members, held }), ...(demand && { demand }) };
    return accepted(await store.sync(group, registration, report));
  };
  let views = await Promise.all(
    registrations.map(async (registration) => accepted(await store.register(group, registration))),
  );
  // To hear of the last generation, to adopt it, to hear of that.
  for (const seq of [2, 3, 4])
    views = await Promise.all(views.map((view, i) => sync(registrations[i] as Registration, view, seq)));
  const some = Array.from({ length: Math.min(members, 10) }, (_, i) => Math.floor((i * members) / 10));
  const before = await counters();
  for (const i of some) {
    const next = await sync(registrations[i] as Registration, views[i] as MemberView, 5);
    expect(next).toMatchObject({ members: members, status: demand ? "disagree" : "agree", held: 2 });
  }
  const { info, ...spent } = difference(await counters(), before);
  return Object.fromEntries(Object.entries(spent).map(([command, calls]) => [command, calls / some.length]));
}

async function counters(): Promise<Map<string, number>> {
  const info = await admin.info("commandstats");
  return new Map(
    [...info.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, command, calls]) => [command as string, Number(calls)]),
  );
}

/** What was called in between, and how often. */
function difference(after: Map<string, number>, before: Map<string, number>): Record<string, number> {
  const calls = [...after].map(([command, calls]) => [command, calls - (before.get(command) ?? 0)] as const);
  return Object.fromEntries(calls.filter(([, more]) => more > 0));
}
