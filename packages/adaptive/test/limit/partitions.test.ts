import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { createConcurrencyLimit, fixed } from "../../src/index.ts";

const limitOf = (partitions: Record<string, number>, limit = 10, maxWaiters = 10_000) => {
  const runtime = new VirtualRuntime();
  return { runtime, limit: createConcurrencyLimit({ algorithm: fixed(limit), partitions, runtime, maxWaiters }) };
};

test("what one partition does not use is lent to the others", () => {
  const { limit } = limitOf({ checkout: 60, search: 40 });
  let search = 0;
  while (limit.tryAcquire(1, { partition: "search" })) search += 1;
  expect(search).toBe(10);
  expect(limit.status().partitions).toEqual({
    checkout: { inflight: 0, guaranteed: 6 },
    search: { inflight: 10, guaranteed: 4 },
  });
});

test("what was lent is taken back as calls end: by whoever waits for it", async () => {
  const { limit } = limitOf({ checkout: 60, search: 40 });
  const lent = Array.from({ length: 10 }, () => limit.tryAcquire(1, { partition: "search" }));
  const [more, ...checkouts] = [
    limit.acquire(1, { partition: "search" }),
    ...Array.from({ length: 7 }, () => limit.acquire(1, { partition: "checkout" })),
  ];
  for (const slot of lent.slice(0, 6)) slot?.success();
  expect(limit.status().partitions).toMatchObject({ checkout: { inflight: 6 }, search: { inflight: 4 } });
  // Both have what is theirs: from here on it is first come, first served.
  lent[6]?.success();
  expect(limit.status().partitions).toMatchObject({ search: { inflight: 4 }, checkout: { inflight: 6 } });
  (await more)?.success();
  for (const checkout of checkouts) (await checkout).success();
});

test("who is owed something comes before whoever is not, however important that one is, and whoever came first", async () => {
  const { limit } = limitOf({ checkout: 60, search: 40 });
  const lent = Array.from({ length: 10 }, () => limit.tryAcquire(1, { partition: "search" }));
  const checkouts = [limit.acquire(1, { partition: "checkout" }), limit.acquire(1, { partition: "checkout" })];
  const search = limit.acquire(1, { partition: "search", priority: 9 });
  for (const [n, slot] of lent.slice(0, 2).entries()) {
    slot?.success();
    expect(limit.status().partitions).toMatchObject({ checkout: { inflight: n + 1 }, search: { inflight: 9 - n } });
  }
  lent[2]?.success();
  (await search).success();
  for (const checkout of checkouts) (await checkout).success();
});

test("also by one that does not wait: a part that was refused to it is kept free for a second", async () => {
  const { runtime, limit } = limitOf({ checkout: 50, search: 50 });
  const lent = Array.from({ length: 10 }, () => limit.tryAcquire(1, { partition: "search" }));
  expect(limit.tryAcquire(1, { partition: "checkout" })).toBeUndefined();
  lent[0]?.success();
  expect(limit.tryAcquire(1, { partition: "search" })).toBeUndefined();
  expect(limit.tryAcquire(1, { partition: "checkout" })).toBeDefined();
  expect(limit.tryAcquire(1, { partition: "checkout" })).toBeUndefined();
  lent[1]?.success();
  expect(limit.tryAcquire(1, { partition: "search" })).toBeUndefined();
  await runtime.advance(1_000);
  expect(limit.tryAcquire(1, { partition: "search" })).toBeDefined();
});

test("however much each is owed, together they never have more in flight than the limit", () => {
  const { limit } = limitOf({ a: 50, b: 50 });
  for (let i = 0; i < 20; i++)
    for (const partition of ["a", "a", "a", "b", undefined]) limit.tryAcquire(1, { partition });
  expect(limit.inflight).toBe(10);
});

test("a partition is owed at least one call, however small its part", async () => {
  const { limit } = limitOf({ tiny: 1, huge: 99 }, 3);
  const lent = Array.from({ length: 3 }, () => limit.tryAcquire(1, { partition: "huge" }));
  const huge = Array.from({ length: 5 }, () => limit.acquire(1, { partition: "huge" }));
  const tiny = limit.acquire(1, { partition: "tiny" });
  lent[0]?.success();
  // Two in flight of 2.97: huge is owed one as well, but tiny has nothing at all.
  expect(limit.status().partitions).toMatchObject({ tiny: { inflight: 1 }, huge: { inflight: 2 } });
  (await tiny).success();
  for (const slot of lent) slot?.success();
  for (const slot of huge) (await slot).success();
});

test("a guarantee is one of the queue as well: a flood of one partition does not fill it", async () => {
  const { limit } = limitOf({ checkout: 50, search: 50 }, 1, 4);
  const slot = limit.tryAcquire(1, { partition: "search" });
  const refusals: string[] = [];
  const wait = (partition: string, priority = 0): Promise<unknown> =>
    limit.acquire(1, { partition, priority }).then(
      (granted) => granted.success(),
      (error) => refusals.push(`${partition}: ${error.code}`),
    );
  const all = [1, 2, 3, 4].map(() => wait("search", 9));
  all.push(wait("checkout"), wait("checkout"), wait("checkout"));
  expect(limit.status().waiting).toBe(4);
  slot?.success();
  await Promise.all(all);
  // Two of search gave way; the third of checkout found nobody who has more than his part.
  expect(refusals.sort()).toEqual(["checkout: DT_QUEUE_FULL", "search: DT_QUEUE_FULL", "search: DT_QUEUE_FULL"]);
});

test.each([
  ["fifo", "a"],
  ["lifo", "b"],
] as const)("those of other partitions that have what is theirs come in order, too: %s", async (order, first) => {
  const limit = createConcurrencyLimit({
    algorithm: fixed(4),
    partitions: { a: 10, b: 10 },
    order,
    runtime: new VirtualRuntime(),
  });
  const slots = ["a", "a", "b", "b"].map((partition) => limit.tryAcquire(1, { partition }));
  const served: string[] = [];
  for (const partition of ["a", "b"])
    void limit.acquire(1, { partition }).then(
      () => served.push(partition),
      () => undefined,
    );
  slots[first === "a" ? 0 : 2]?.success();
  await Promise.resolve();
  expect(served).toEqual([first]);
  await limit.stop();
});

test("calls that name no partition share what is left over", async () => {
  const { limit } = limitOf({ checkout: 80 });
  const slots = Array.from({ length: 10 }, () => limit.tryAcquire());
  const [unnamed, checkout] = [limit.acquire(), limit.acquire(1, { partition: "checkout" })];
  slots[0]?.success();
  (await checkout).success();
  (await unnamed).success();
});

test.each([
  [{ a: 60, b: 60 }, /partitions is an object; they add up to 120 %/],
  [{ a: 0 }, /partitions\.a is 0; give a percentage/],
  [{ a: Number.NaN }, /partitions\.a is NaN/],
  [["a"] as unknown as Record<string, number>, /partitions is an array/],
])("partitions %o are refused", (partitions, message) => {
  expect(() => limitOf(partitions)).toThrow(message);
});

test("a partition that there is not is refused by name", async () => {
  const { limit } = limitOf({ checkout: 80, search: 20 });
  expect(() => limit.tryAcquire(1, { partition: "serach" })).toThrow(
    'partition is "serach"; there is no such partition; known are "checkout", "search"',
  );
  await expect(limit.acquire(1, { partition: "serach" })).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
});
