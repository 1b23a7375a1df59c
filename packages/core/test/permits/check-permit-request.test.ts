import { describe, expect, it } from "vitest";
import { MemoryStore, type PermitRequest } from "../../src/index.ts";

const good: PermitRequest = {
  id: "r",
  count: 1,
  cost: 1,
  everyMs: 10,
  burst: 1,
  maxReserved: 1,
  keepMs: 0,
  queueMs: 0,
};

describe("a permit ledger refuses what would spoil a key for everybody", () => {
  const cases: [Partial<PermitRequest>, string][] = [
    [{ id: "" }, "request.id"],
    [{ count: 0 }, "request.count"],
    [{ count: 10_001 }, "request.count"],
    [{ cost: 0 }, "request.cost"],
    [{ cost: 1e308 }, "request.cost"],
    [{ everyMs: Number.NaN }, "request.everyMs"],
    [{ everyMs: 1e13 }, "request.everyMs"],
    [{ burst: 0.5 }, "request.burst"],
    [{ burst: Number.MAX_SAFE_INTEGER }, "at 10 ms for each unit give at most 100000000000"],
    [{ maxReserved: -1 }, "request.maxReserved"],
    [{ keepMs: Number.POSITIVE_INFINITY }, "request.keepMs"],
    [{ queueMs: -1 }, "request.queueMs"],
  ];

  it.each(cases)("%o", async (wrong, name) => {
    const store = new MemoryStore();
    await expect(store.reserve("k", { ...good, ...wrong })).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining(name),
    });
    expect((await store.reserve("k", good)).granted).toBe(1);
  });
});
