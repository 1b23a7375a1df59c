import { DtError } from "@dt/core";
import { describe, expect, it } from "vitest";
import { fleet, watched } from "./support/budgets.ts";

/** A budget whose store does at once what it is asked, and answers so many milliseconds later. */
function slowly(answerMs: number, options: Parameters<typeof fleet>[0] = {}) {
  const parts = fleet(options);
  const { store, runtime, create } = parts;
  const spend: typeof store.spend = async (...given) => {
    const answer = await store.spend(...given);
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, answerMs));
    return answer;
  };
  return { ...parts, budget: create({ store: Object.assign(Object.create(store), { spend }) }) };
}

describe("a reservation that is under way", () => {
  it("is given back when the budget is stopped", async () => {
    const { budget, create, pass } = slowly(50);
    const waiting = watched(budget.acquire({ tokens: 6_000 }));
    await pass(10);
    const stopped = watched(budget.stop());
    await pass(0);
    expect(waiting.error).toMatchObject({ code: "DT_STOPPED" });
    await pass(1_000);
    expect(stopped.done).toBe(true);
    expect(await create().tryAcquire({ tokens: 6_000 })).toBeDefined();
  });

  it("begins no call in a pause that was asked for meanwhile", async () => {
    const { budget, pass } = slowly(50);
    const calls = [watched(budget.acquire({ tokens: 10 })), watched(budget.tryAcquire({ tokens: 10 }))];
    await pass(10);
    budget.pauseUntil("30s");
    await pass(29_000);
    expect(calls.map(({ value }) => value)).toEqual([undefined, undefined]);
    expect(calls.map(({ done }) => done)).toEqual([false, true]);
    await pass(2_000);
    expect(calls[0]?.value).toBeDefined();
  });
});

describe("callers that wait for a slot", () => {
  it("are refused where the budget is stopped as they get it", async () => {
    const { budget, pass } = fleet({ concurrent: 1 });
    const first = watched(budget.acquire());
    await pass(3_000);
    const second = watched(budget.acquire());
    await pass(1_000);
    first.value?.settle();
    await budget.stop();
    await pass(1_000);
    expect(second.error).toMatchObject({ code: "DT_STOPPED" });
    expect(budget.status().waiting).toBe(0);
  });

  it("are served by a drain", async () => {
    const { budget, pass } = fleet({ concurrent: 1 });
    const first = watched(budget.acquire());
    await pass(3_000);
    const second = watched(budget.acquire());
    await pass(1_000);
    const drained = watched(budget.drain());
    await pass(1_000);
    expect([second.done, drained.done]).toEqual([false, false]);
    first.value?.settle();
    await pass(3_000);
    expect(second.value).toBeDefined();
    expect(drained.value).toBe(true);
  });
});

describe("callers whose instants are given up", () => {
  it("reserve anew in the order in which they came", async () => {
    const { budget, store, create, runtime, pass } = fleet();
    const reserved: number[] = [];
    const spend: typeof store.spend = (name, request, signal) => {
      if (request.reserve) reserved.push(request.reserve.costs[1] as number);
      return store.spend(name, request, signal);
    };
    const watching = create({ store: Object.assign(Object.create(store), { spend }), runtime });
    await budget.acquire({ tokens: 6_000 });
    for (const tokens of [1, 2]) void watching.acquire({ tokens }).catch(() => undefined);
    await pass(1_000);
    expect(reserved).toEqual([1, 2]);
    watching.pauseUntil("2m");
    await pass(1_000);
    expect(reserved).toEqual([1, 2, 1, 2]);
    await watching.stop();
  });
});

describe("a settlement that no store takes", () => {
  it.each([[""], ["x".repeat(2_000)], [7 as never]])("of the lease %j is refused at once", async (id) => {
    const { budget } = fleet();
    expect(() => budget.settle(id, { tokens: 1 })).toThrow(/id is/);
    expect(await budget.acquire({ tokens: 1 })).toBeDefined();
  });

  it("of more units than a store counts is ignored, and holds up no other call", async () => {
    const { budget, pass } = fleet();
    const lease = await budget.acquire({ tokens: 1 });
    expect(() => lease.settle({ tokens: { input: 9e11, output: 9e11 } })).toThrow(/usage.tokens is 1800000000000/);
    const usage = { prompt_tokens: 9e11, completion_tokens: 9e11 };
    await budget.run(() => ({ usage }), { cost: { tokens: 100 } });
    await pass(200);
    expect(await budget.tryAcquire({ tokens: 1 })).toBeDefined();
    expect(budget.status()).toMatchObject({ ignored: 1, lastError: undefined });
  });
});

describe("while the store is away", () => {
  it("what is settled is sent less and less often", async () => {
    const { store, create, pass } = fleet();
    let tries = 0;
    let away = false;
    const spend: typeof store.spend = (...given) => {
      if (!away) return store.spend(...given);
      tries += 1;
      return Promise.reject(new DtError("DT_STORE_UNAVAILABLE", "down", { effect: "unknown" }));
    };
    const budget = create({ store: Object.assign(Object.create(store), { spend }) });
    const lease = await budget.acquire({ tokens: 5_000 });
    away = true;
    lease.settle({ tokens: 1_000 });
    await pass(40_000);
    expect(tries).toBeGreaterThan(8);
    expect(tries).toBeLessThan(20);
    away = false;
    await pass(6_000);
    expect(budget.status().limits["tokens"]?.rest).toBe(5_000);
  });
});
