import { expect, it } from "vitest";
import { type Caller, Crowd } from "./support.ts";

/** A crowd on a store where a change of the ledger costs much, or not. Counts every change of a want that is told. */
function crowdOn(max: number, demandMembers: number | undefined): { readonly crowd: Crowd; told(): number } {
  const crowd = new Crowd(max);
  const { store } = crowd;
  Object.assign(store, { capabilities: { ...store.capabilities, ...(demandMembers && { demandMembers }) } });
  const wants = new Map<string, number>();
  let changes = 0;
  const sync = store.sync.bind(store);
  store.sync = (group, member, report) => {
    const { want = 0 } = report.demand ?? {};
    if (wants.get(member.incarnation) !== want) changes += 1;
    wants.set(member.incarnation, want);
    return sync(group, member, report);
  };
  return { crowd, told: () => changes };
}

/** Lets two callers want now more, now less, for a minute, and tells how many changes they told. */
async function restless(demandMembers: number | undefined): Promise<number> {
  const { crowd, told } = crowdOn(1_000, demandMembers);
  const callers = [await crowd.join(), await crowd.join()];
  await crowd.run(12_000);
  const before = told();
  for (let second = 0; second < 60; second += 3) {
    for (const caller of callers) caller.perSecond = second % 6 === 0 ? 60 : 20;
    await crowd.run(3_000);
  }
  expect(callers.map(({ refused }) => refused)).toEqual([0, 0]);
  await crowd.stop();
  return told() - before;
}

it("where a change of the ledger costs much, a want that has plenty is told once in ten seconds, not every time", async () => {
  expect(await restless(undefined)).toBeGreaterThan(30);
  expect(await restless(100)).toBeLessThanOrEqual(14);
});

it("whoever starves tells what it wants at once all the same", async () => {
  const { crowd } = crowdOn(100, 100);
  const [busy, other] = [await crowd.join(), await crowd.join()];
  other.perSecond = 60;
  busy.perSecond = 5;
  await crowd.run(15_000);
  other.perSecond = 5;
  await crowd.run(1_000);
  busy.perSecond = 80;
  await crowd.run(4_000);
  const [had = 0] = await crowd.run(5_000);
  // What the other said ten seconds ago does not keep it from what it needs: tokens are tight.
  expect(had).toBeGreaterThan(0.95 * 5 * 80);
  expect(crowd.most).toBeLessThanOrEqual(100);
  await crowd.stop();
});

it("a small part more than it is due is kept while nobody got too little, and given up when somebody did", async () => {
  const { crowd } = crowdOn(1_000, 100);
  const callers: Caller[] = [];
  for (let i = 0; i < 3; i++) callers.push(await crowd.join());
  for (const caller of callers) caller.perSecond = 600;
  await crowd.run(10_000);
  const third = 1_000 / 3;
  for (const had of await crowd.run(5_000)) expect(had / 5).toBeGreaterThan(third * (15 / 16));
  const late = await crowd.join();
  late.perSecond = 600;
  await crowd.run(6_000);
  for (const had of await crowd.run(5_000)) expect(had / 5).toBeGreaterThan(250 * (15 / 16) - 1);
  expect(crowd.most).toBeLessThanOrEqual(1_000);
  await crowd.stop();
});

it("says so once when its group comes to have more members than the store is meant for, and again after it had not", async () => {
  const { crowd } = crowdOn(100, 2);
  const { throttle } = await crowd.join();
  const heard: unknown[] = [];
  throttle.on("crowded", (event) => heard.push(event));
  const even = await crowd.join({ shares: "even" });
  even.throttle.on("crowded", () => heard.push("one that shares evenly"));
  await crowd.run(2_000);
  expect(heard).toEqual([]);
  const third = await crowd.join();
  await crowd.run(3_000);
  expect(heard).toEqual([{ members: 3, most: 2 }]);
  await third.throttle.stop();
  await crowd.run(3_000);
  await crowd.join();
  await crowd.run(3_000);
  expect(heard).toEqual([
    { members: 3, most: 2 },
    { members: 3, most: 2 },
  ]);
  await crowd.stop();
});
