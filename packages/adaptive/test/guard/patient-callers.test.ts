import { settle, VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { createAdaptiveRate, createConcurrencyLimit, createGuard, fixed } from "../../src/index.ts";

/** A caller that sets no time waits for as long as it takes: a batch of ten thousand is not refused after a minute. */

const HOUR_MS = 3_600_000;

/** What a promise has come to. */
function outcomeOf(promise: Promise<unknown>): { readonly end: string | undefined } {
  const outcome: { end: string | undefined } = { end: undefined };
  promise.then(
    () => {
      outcome.end = "let through";
    },
    (error: unknown) => {
      outcome.end = (error as { code?: string }).code ?? String(error);
    },
  );
  return outcome;
}

describe("a caller that sets no time is not refused after any", () => {
  it("by a concurrency limit", async () => {
    const runtime = new VirtualRuntime();
    const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime, maxLag: 1 });
    const slot = await limit.acquire();
    const waiting = outcomeOf(limit.acquire());
    await runtime.advance(HOUR_MS);
    expect(waiting.end).toBeUndefined();
    slot.success();
    await settle();
    expect(waiting.end).toBe("let through");
  });

  it("by a guard, for as long as the pause lasts", async () => {
    const runtime = new VirtualRuntime();
    const guard = createGuard({ runtime, maxPause: "10m" });
    const calls = [await guard.acquire(), await guard.acquire(), await guard.acquire()];
    const refused = (): void => calls.pop()?.settle({ outcome: "overload", retryAfterMs: 600_000 });
    refused();
    const waiting = outcomeOf(guard.acquire());
    for (let renewed = 0; renewed < 2; renewed++) {
      await runtime.advance(590_000);
      refused();
    }
    await runtime.advance(590_000);
    expect(waiting.end).toBeUndefined();
    await runtime.advance(10_000);
    expect(waiting.end).toBe("let through");
  });

  it("by an adaptive rate", async () => {
    const runtime = new VirtualRuntime();
    const rate = createAdaptiveRate({ runtime, maxPause: "3m", min: 0.001 });
    rate.pause("3m");
    const waiting = outcomeOf(rate.acquire());
    await runtime.advance(179_000);
    expect(waiting.end).toBeUndefined();
    await runtime.advance(HOUR_MS);
    expect(waiting.end).toBe("let through");
    await rate.stop();
  });
});
