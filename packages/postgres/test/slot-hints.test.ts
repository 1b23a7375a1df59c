import { until } from "@dt-tooling/backends";
import { beforeEach, describe, expect, test } from "vitest";
import { channelOf } from "../src/listen.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";
import { SlotMember } from "./support/slot-member.ts";

useOwnServer();

beforeEach(async () => {
  await openPatientStore().inspect("g");
});

/** Two members of a semaphore in two clients: the first holds its only slot, the second waits for it. */
async function holderAndWaiter(): Promise<readonly [SlotMember, SlotMember]> {
  const holder = await SlotMember.join(openPatientStore({ hints: true }), 1);
  expect(await holder.report({ held: 0, waiting: 1 })).toMatchObject({ held: 1 });
  const waiter = await SlotMember.join(openPatientStore({ hints: true }), 1);
  expect(await waiter.report({ held: 0, waiting: 1 })).toMatchObject({ held: 0 });
  return [holder, waiter];
}

/** An offer of the slot that the holder wants no more. */
const offer = (held: number, seq: number) => ({ kind: "offer", held, seq, waterLevel: 1, wanted: false });

describe("hints of slots", () => {
  test("go from one client to the member that they are for, and to no other", async () => {
    const [holder, waiter] = await holderAndWaiter();
    const other = await SlotMember.join(openPatientStore({ hints: true }), 1);
    await holder.hinted(1);
    expect(holder.hints).toEqual([{ kind: "ask", give: 0, waterLevel: 0 }]);
    await holder.report({ held: 0 });
    await waiter.hinted(1);
    expect(waiter.hints).toEqual([offer(1, waiter.seq)]);
    // What others would have received was sent before this.
    await other.report({ held: 0, waiting: 1 });
    await waiter.hinted(2);
    expect(waiter.hints[1]).toMatchObject({ kind: "ask" });
    expect([holder.hints.length, other.hints.length]).toEqual([1, 0]);
  });

  test("come with a farewell as well, and after the record: whoever looks at once sees the slot held", async () => {
    const [holder, waiter] = await holderAndWaiter();
    await holder.leave();
    await waiter.hinted(1);
    expect(waiter.hints).toEqual([offer(1, waiter.seq)]);
    const { held, members } = await waiter.store.inspect("g");
    expect([held, members.map((member) => member.held)]).toEqual([1, [1]]);
  });

  test("end for one member of a process alone, and for two listeners of a member with the last", async () => {
    const [holder, first] = await holderAndWaiter();
    const second = await SlotMember.join(first.store, 1);
    await second.report({ held: 0, waiting: 1 });
    const other = await SlotMember.join(first.store, 1);
    other.stop();
    const heard: unknown[] = [];
    const stop = await first.store.onSlotHint?.("g", first.registration, (hint) => heard.push(hint));
    first.stop();
    await holder.report({ held: 0 });
    // It is offered the slot, and asked to end its turn for the other one.
    await until("the other listener received both", 10_000, () => heard.length === 2);
    expect(heard).toMatchObject([{ kind: "offer", held: 1, seq: first.seq, wanted: true }, { kind: "ask" }]);
    stop?.();
    await first.report({ held: 0 });
    await second.hinted(1);
    expect(second.hints).toEqual([offer(1, second.seq)]);
    expect([heard.length, first.hints.length]).toEqual([2, 0]);
  });

  test("may have been missed where the connection was lost: a call without a hint says so, and later ones come", async () => {
    const [holder, waiter] = await holderAndWaiter();
    await admin.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN dt%'");
    await waiter.hinted(1);
    expect(waiter.hints).toEqual([undefined]);
    await holder.report({ held: 0 });
    await waiter.hinted(2);
    expect(waiter.hints[1]).toEqual(offer(1, waiter.seq));
  });

  test("that a stranger sends and that are none are passed over", async () => {
    const [holder, waiter] = await holderAndWaiter();
    const { incarnation } = waiter.registration;
    const channel = channelOf({ kind: "slots", name: "g", member: incarnation });
    for (const text of ["", "offer", "offer 1 2 3", "offer 1 2 -3 0", "ask 1 NaN", "give 1 2"])
      await admin.rows(`SELECT pg_notify(${schema}.dt_channel($1), $2)`, [channel, text]);
    await holder.report({ held: 0 });
    await waiter.hinted(1);
    expect(waiter.hints).toEqual([offer(1, waiter.seq)]);
  });

  test.each(["Ä ☃'\\\"", "x".repeat(200), "🂡 group g", "%s $1 {schema}"])("find a member called %s", async (name) => {
    const holder = await SlotMember.join(openPatientStore({ hints: true }), 1, {}, name);
    await holder.report({ held: 0, waiting: 1 });
    const store = openPatientStore({ hints: true });
    const waiter = await SlotMember.join(store, 1, { id: name, incarnation: name }, name);
    await waiter.report({ held: 0, waiting: 1 });
    await holder.report({ held: 0 });
    await waiter.hinted(1);
    expect(waiter.hints).toEqual([offer(1, waiter.seq)]);
  });

  test("are not sent by a store without them, which raises in the queue all the same", async () => {
    const silent = openPatientStore();
    expect(silent.capabilities).toMatchObject({ slots: true, hints: false });
    expect(silent.onSlotHint).toBeUndefined();
    const [holder, waiter] = await holderAndWaiter();
    await holder.hinted(1);
    await silent.deregister("g", holder.registration, { seq: 99, level: null });
    expect(await silent.inspect("g")).toMatchObject({ held: 1, memberCount: 1 });
    expect(await waiter.report({ held: 0, waiting: 1 })).toMatchObject({ held: 1 });
    expect(waiter.hints).toEqual([]);
  });
});
