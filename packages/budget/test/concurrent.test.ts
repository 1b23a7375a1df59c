import { describe, expect, it } from "vitest";
import { fleet, watched } from "./support/budgets.ts";

const WINDOW_MS = 60_250;

describe("concurrent", () => {
  it("bounds the calls in flight of all processes", async () => {
    const { budgets, pass } = fleet({ concurrent: 2 }, 2);
    const [here, there] = budgets as [(typeof budgets)[0], (typeof budgets)[0]];
    const first = watched(here.acquire());
    const second = watched(there.acquire());
    await pass(3_000);
    expect([first.done, second.done]).toEqual([true, true]);
    const third = watched(there.acquire());
    await pass(5_000);
    expect(third.done).toBe(false);
    first.value?.settle();
    await pass(5_000);
    expect(third.done).toBe(true);
    await Promise.all(budgets.map((budget) => budget.stop()));
  });

  it("keeps a slot until the stream of the call has ended", async () => {
    const { budget, pass } = fleet({ concurrent: 1 });
    async function* answers() {
      yield "a";
      yield "b";
    }
    const stream = watched(budget.run(() => answers()));
    await pass(3_000);
    expect(budget.status().inUse).toBe(1);
    for await (const _ of stream.value as AsyncIterable<string>) expect(budget.status().inUse).toBe(1);
    await pass(100);
    expect(budget.status()).toMatchObject({ inUse: 0, settled: 1 });
    await budget.stop();
  });

  it("holds no slot while the tokens are farther than 100 ms away", async () => {
    const { budget, create, pass } = fleet({ concurrent: 1 });
    const first = watched(budget.acquire({ tokens: 6_000 }));
    await pass(3_000);
    first.value?.settle({ tokens: 6_000 });
    const costly = watched(budget.acquire({ tokens: 1_000 }));
    await pass(1_000);
    expect(budget.status()).toMatchObject({ inUse: 0, ahead: 1 });
    const other = create();
    const cheap = watched(other.acquire({ tokens: 0 }));
    await pass(3_000);
    expect([cheap.done, costly.done]).toEqual([true, false]);
    cheap.value?.settle();
    await pass(WINDOW_MS);
    expect(costly.done).toBe(true);
    await Promise.all([budget.stop(), other.stop()]);
  });

  it("names what a caller waits for when its time is up", async () => {
    const { budget, pass } = fleet({ concurrent: 1 });
    const first = watched(budget.acquire());
    await pass(3_000);
    const second = watched(budget.acquire({}, { timeout: "1s" }));
    await pass(1_000);
    expect(first.done).toBe(true);
    expect(second.error).toMatchObject({ code: "DT_TIMEOUT", limitedBy: "concurrent" });
    await expect(budget.run(() => 1, { whenLimited: "throw" })).rejects.toMatchObject({ limitedBy: "concurrent" });
    await budget.stop();
  });

  it("gives a slot back where the tokens are refused", async () => {
    const { budget, pass } = fleet({ concurrent: 1 });
    const first = watched(budget.acquire({ tokens: 6_000 }));
    await pass(3_000);
    first.value?.settle();
    await pass(100);
    const late = watched(budget.acquire({ tokens: 10 }, { timeout: "2s" }));
    await pass(100);
    expect(late.error).toMatchObject({ code: "DT_TIMEOUT", limitedBy: "tokens" });
    expect(budget.status().inUse).toBe(0);
    expect(await budget.tryAcquire({ tokens: 10 })).toBeUndefined();
    expect(budget.status().inUse).toBe(0);
    await budget.stop();
  });
});
