import type { Registration } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { beforeEach, describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { admin, openStore, schema, server, useOwnServer } from "./support/own-server.ts";
import { SlotMember } from "./support/slot-member.ts";

/**
 * What a crash of the server may and may not cost: heartbeats are committed without waiting for the disk, everything
 * that the promise rests on waits. The server of these tests writes what is not waited for up to 10 s late, so that a
 * kill loses it.
 */

useOwnServer({ migrated: true, config: { wal_writer_delay: "10000ms", autovacuum: "off" } });

let store: PostgresStore;

beforeEach(() => {
  store = openStore();
});

async function crash(): Promise<void> {
  await server.kill();
  await server.restart({ keepData: true });
  await until("the store works", 10_000, () => store.inspect("g"));
}

/** How often the group's row was written, as far as the server knows. */
const writes = (): Promise<number> => admin.number(`SELECT sum(writes) FROM ${schema}.dt_ledger`);

describe("a crash of the server", () => {
  test("loses no membership, no raise, no farewell that was answered", async () => {
    const [a, b] = [
      newcomer({ staleAfterMs: 60_000 }),
      newcomer({ staleAfterMs: 60_000, level: 4, resumeWithinMs: 60_000 }),
    ];
    await store.register("g", a);
    await crash();
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1, held: 10 });

    const joined = await store.register("g", b);
    await store.sync("g", a, adopting(joined, 2, { held: 5 }));
    const raised = accepted(await store.sync("g", b, adopting(joined, 2)));
    expect(raised).toMatchObject({ status: "agree", held: 5 });
    await crash();
    const after = await store.inspect("g");
    expect(after).toMatchObject({ memberCount: 2, held: 10, generation: raised.generation });
    expect(after.members.map(({ held }) => held)).toEqual([5, 5]);

    await store.deregister("g", b, { seq: 3, level: 4.5 });
    await crash();
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1 });
    expect(await store.register("g", newcomer({ id: b.id }))).toMatchObject({ resumeLevel: 4.5 });
  });

  test("loses nothing that a sync of a member of long standing was answered: raises, generations and times", async () => {
    const [a, b] = [newcomer({ max: 11, staleAfterMs: 60_000 }), newcomer({ max: 11, staleAfterMs: 60_000 })];
    await store.register("g", a);
    const joined = await store.register("g", b);
    // Its first sync waits for the disk because it is the first.
    await store.sync("g", b, adopting(joined, 2));
    const heldOnRecord = async (): Promise<unknown> =>
      (await store.inspect("g")).members.find(({ id }) => id === b.id)?.held;

    await store.sync("g", a, adopting(joined, 2, { held: 7, generation: 0 }));
    expect(accepted(await store.sync("g", b, adopting(joined, 3)))).toMatchObject({ status: "disagree", held: 4 });
    await crash();
    expect(await heldOnRecord()).toBe(4);

    await store.sync("g", a, adopting(joined, 3, { held: 5 }));
    const agreed = accepted(await store.sync("g", b, adopting(joined, 4, { held: 4 })));
    // Its part and a token of the remainder.
    expect(agreed).toMatchObject({ status: "agree", held: 6 });
    await crash();
    expect(await heldOnRecord()).toBe(6);

    const changed = accepted(await store.sync("g", b, adopting(agreed, 5, { max: 9 })));
    expect(changed.generation).toBeGreaterThan(agreed.generation);
    await crash();
    expect(await store.inspect("g")).toMatchObject({ generation: changed.generation, capacity: 9 });

    const observedMs = changed.storeTimeMs + 3_600_000;
    await store.sync("g", b, adopting(changed, 6, { observedMs }));
    await crash();
    expect((await store.inspect("g")).storeTimeMs).toBeGreaterThanOrEqual(observedMs);
  });

  test("loses no offer of a slot, whose member may have begun a call by then", async () => {
    const [holder, waiter] = [await SlotMember.join(store, 1), await SlotMember.join(store, 1)];
    await holder.report({ held: 0, waiting: 1 });
    await waiter.report({ held: 0, waiting: 1 });
    // A report that raises its own member in nothing.
    expect(await holder.report({ held: 0 })).toMatchObject({ held: 0 });
    await crash();
    const { members } = await store.inspect("g");
    expect(members.map(({ held }) => held)).toEqual([0, 1]);
  });

  test("does not bring back a process that another one of its id has taken the place of", async () => {
    const [before, after] = ["one", "two"].map((incarnation) =>
      newcomer({ id: "same", incarnation, staleAfterMs: 60_000 }),
    ) as [Registration, Registration];
    const first = await store.register("g", before);
    await store.sync("g", before, adopting(first, 2));
    const second = await store.register("g", after);
    // What the first one holds is not free yet: the sync brings no raise and no generation, and waits for the disk all
    // the same.
    const taken = accepted(await store.sync("g", after, adopting(second, 2)));
    expect(taken).toMatchObject({ held: 0, generation: accepted(second).generation });
    await crash();
    expect(await store.sync("g", before, adopting(first, 3))).toMatchObject({ status: "fenced" });
  });

  test("may lose the last heartbeats, and removes nobody for it before a stale age after the last answer", async () => {
    const staleAfterMs = 3_000;
    for (let attempt = 1; ; attempt++) {
      const [group, a, b] = [`g${attempt}`, newcomer({ staleAfterMs }), newcomer({ staleAfterMs })];
      await store.register(group, a);
      const view = await store.register(group, b);
      // A first sync waits for the disk: it says that this incarnation lives.
      await store.sync(group, b, adopting(view, 2));
      let seq = 3;
      // a keeps all of the pool, so that there is nothing to raise anybody with.
      const beat = async () => accepted(await store.sync(group, a, adopting(view, seq++, { held: 10 })));
      // Almost half a stale age later something is written that waits for the disk, and after it only a heartbeat.
      await until("time passes", 5_000, async () => (await beat()).groupAgeMs > 1_400);
      await store.register(group, newcomer({ staleAfterMs }));
      const heardMs = performance.now();
      await store.sync(group, b, adopting(view, seq));
      const answered = await writes();
      await crash();
      // It may have reached the disk all the same: then there is nothing to see, and another attempt.
      if ((await writes()) === answered && attempt < 5) continue;
      expect(await writes()).toBe(answered - 1);
      await until("b is removed", 30_000, async () => {
        await beat();
        const { members } = await store.inspect(group);
        return !members.some(({ id }) => id === b.id);
      });
      expect(performance.now() - heardMs).toBeGreaterThan(staleAfterMs);
      return;
    }
  });

  test("may lose what somebody used, and gives nobody these tokens in the epoch they were used in", async () => {
    // An epoch that does not end before the test does.
    const [a, b] = [1, 2].map(() => newcomer({ intervalMs: 1e12, staleAfterMs: 60_000 })) as [
      Registration,
      Registration,
    ];
    await store.register("g", a);
    const joined = await store.register("g", b);
    // First syncs wait for the disk.
    await store.sync("g", a, adopting(joined, 2, { held: 10 }));
    await store.sync("g", b, adopting(joined, 2));
    const epoch = Math.floor(accepted(joined).storeTimeMs / 1e12);
    // It used all ten, and is told that those it gives up count as spent: it does not say so again.
    await store.sync("g", a, adopting(joined, 3, { held: 5, use: { epoch, used: 10 } }));
    await crash();
    await store.sync("g", a, adopting(joined, 4, { held: 5, use: { epoch, used: 5 } }));
    const raised = accepted(await store.sync("g", b, adopting(joined, 3)));
    expect(raised).toMatchObject({ held: 5, early: 0, fromEpoch: epoch + 1 });
  });

  test("makes nobody immortal: whoever joins after it and dies is removed as ever", async () => {
    const [a, b] = [newcomer({ staleAfterMs: 2_000 }), newcomer({ staleAfterMs: 100 })];
    const view = await store.register("g", a);
    let seq = 2;
    const beat = async () => accepted(await store.sync("g", a, adopting(view, seq++)));
    // Until members that were due have been looked at: they need not be looked for again before that time ...
    await until("a was due", 10_000, async () => {
      await beat();
      return (await admin.number(`SELECT swept_ms FROM ${schema}.dt_ledger`)) > 0;
    });
    // ... but the time of silence, which the crash sets back by 2 s, has yet to reach it. (Somebody comes and goes, so
    // that this is not lost.)
    const passing = newcomer();
    await store.register("g", passing);
    await store.deregister("g", passing, { seq: 2, level: null });
    await crash();
    await store.register("g", b);
    await until("b is removed", 10_000, async () => (await beat()).members === 1);
  });

  test("that happened while nobody was using the group is told by the group itself", async () => {
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    const boots = (): Promise<unknown> => admin.rows(`SELECT boot FROM ${schema}.dt_boot`);
    const before = await boots();
    await server.restart({ keepData: true });
    await until("the store works", 10_000, () => store.sync("g", registration, adopting(view, 2)));
    expect(await boots()).toEqual(before);
    await crash();
    expect(await boots()).toEqual([]);
    await store.sync("g", registration, adopting(view, 99));
    expect(await boots()).not.toEqual(before);
    const [row] = await admin.rows(
      `SELECT boot = (SELECT boot FROM ${schema}.dt_boot) AS same FROM ${schema}.dt_ledger`,
    );
    expect(row).toEqual({ same: true });
  });
});
