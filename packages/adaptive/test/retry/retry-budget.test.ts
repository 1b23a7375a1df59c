import { VirtualRuntime } from "@dt/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRetryBudget, type RetryBudget, type RetryBudgetOptions } from "../../src/index.ts";
import { ShareBudget, TokenBudget } from "../../src/retry/budgets.ts";

function made(options: RetryBudgetOptions = {}): { budget: RetryBudget; runtime: VirtualRuntime; heard: object[] } {
  const runtime = new VirtualRuntime();
  const budget = createRetryBudget({ runtime, ...options });
  const heard: object[] = [];
  budget.on("givenUp", (event) => heard.push(event));
  return { budget, runtime, heard };
}

const refusal = (fields: object = {}): Error => Object.assign(new Error("no"), { status: 503, ...fields });
const failure = (): Error => refusal({ status: 500 });

describe("a call", () => {
  it("that is refused is made again until it succeeds, and answers as its last attempt did", async () => {
    const { budget, runtime } = made();
    const attempts: number[] = [];
    const answer = budget.run(async (attempt) => {
      attempts.push(attempt);
      if (attempt < 2) throw refusal();
      return "done";
    });
    await runtime.advance(5_000);
    expect(await answer).toBe("done");
    expect(attempts).toEqual([0, 1, 2]);
    expect(budget.status()).toEqual({ name: "default", inflight: 0, retries: 0, open: true });
  });

  it("is made four times at most, and then rejects with the last error", async () => {
    const { budget, runtime, heard } = made();
    let calls = 0;
    const answer = budget.wrap(async () => {
      calls += 1;
      throw refusal({ message: `refusal ${calls}` });
    })();
    const settled = expect(answer).rejects.toThrow("refusal 4");
    await runtime.advance(11_000);
    await settled;
    expect(heard).toEqual([{ reason: "retries", attempts: 4 }]);
  });

  it.each([200, 404])("answered %i is not made again", async (status) => {
    const { budget } = made();
    let calls = 0;
    const get = budget.wrap(async () => {
      calls += 1;
      return new Response(null, { status });
    });
    expect((await get()).status).toBe(status);
    expect(calls).toBe(1);
  });

  it("answered 429 is made again, and the last answer is the answer", async () => {
    const { budget, runtime } = made({ retries: 1 });
    let calls = 0;
    const answer = budget.wrap(async () => new Response(`${++calls}`, { status: 429 }))();
    await runtime.advance(2_000);
    expect(await (await answer).text()).toBe("2");
  });

  it("waits a random time up to 100 ms, then up to 200, 400, and never more than maxDelay", async () => {
    const delays: number[][] = [[], [], [], [], []];
    const { budget, runtime } = made({ retries: 5, maxDelay: 700, minRetries: 1_000 });
    budget.on("retry", ({ attempt, delayMs }) => delays[attempt - 1]?.push(delayMs));
    const all = Array.from({ length: 200 }, () => budget.run(() => Promise.reject(failure())).catch(() => undefined));
    await runtime.advance(10_000);
    await Promise.all(all);
    for (const [i, most] of [100, 200, 400, 700, 700].entries()) {
      const longest = Math.max(...(delays[i] as number[]));
      expect(longest).toBeLessThanOrEqual(most);
      expect(longest).toBeGreaterThan(most * 0.9);
      expect(Math.min(...(delays[i] as number[]))).toBeLessThan(most * 0.1);
    }
  });

  it.each([
    ["nothing", {}],
    ["what makes no sense", { headers: { "retry-after": "soon" } }],
    ["a time that has passed", { headers: { "retry-after": "Sun, 06 Nov 1994 08:49:37 GMT" } }],
  ])(
    "that is refused and told %s waits for about a second, then two, then four, and never more than maxDelay",
    async (_, fields) => {
      const delays: number[][] = [[], [], [], []];
      const { budget, runtime } = made({ retries: 4, maxDelay: 5_000, minRetries: 1_000 });
      budget.on("retry", ({ attempt, delayMs }) => delays[attempt - 1]?.push(delayMs));
      const all = Array.from({ length: 200 }, () =>
        budget.run(() => Promise.reject(refusal(fields))).catch(() => undefined),
      );
      await runtime.advance(20_000);
      await Promise.all(all);
      for (const [i, [least, most]] of [
        [1_000, 1_500],
        [2_000, 3_000],
        [4_000, 5_000],
        [5_000, 5_000],
      ].entries()) {
        expect(Math.min(...(delays[i] as number[]))).toBeGreaterThanOrEqual(least as number);
        expect(Math.max(...(delays[i] as number[]))).toBeLessThanOrEqual(most as number);
        if (i < 2) expect(new Set(delays[i]).size).toBeGreaterThan(100);
      }
    },
  );

  it("that is refused waits for as long as refusalDelay says, and not at all where the callee says now", async () => {
    const { budget, runtime } = made({ retries: 1, refusalDelay: "10s" });
    const delays: number[] = [];
    budget.on("retry", ({ delayMs }) => delays.push(delayMs));
    const all = [{}, { headers: { "retry-after": "0" } }].map((fields) =>
      budget.run(() => Promise.reject(refusal(fields))).catch(() => undefined),
    );
    await runtime.advance(16_000);
    await Promise.all(all);
    expect(delays[0]).toBeGreaterThanOrEqual(10_000);
    expect(delays[1]).toBeLessThanOrEqual(100);
  });

  it("waits as long as the callee asks for, and is not made again when that is longer than maxDelay, or for years", async () => {
    const { budget, runtime, heard } = made({ retries: 1 });
    const headers = (seconds: string) => ({ response: { status: 429, headers: { "retry-after": seconds } } });
    const times: number[] = [];
    const asks = (seconds: string): Promise<unknown> =>
      budget
        .run(async () => {
          times.push(runtime.now());
          throw refusal({ status: undefined, ...headers(seconds) });
        })
        .catch(() => undefined);
    const patient = asks("15");
    await runtime.advance(15_000);
    await patient;
    expect(times).toEqual([0, 15_000]);
    await asks("21");
    await asks("99999999999");
    expect(times).toHaveLength(4);
    expect(heard.slice(-2)).toEqual([1, 2].map(() => ({ reason: "retryAfter", attempts: 1 })));
    expect(runtime.pendingTimers).toBe(0);
  });

  it("that waits for its next attempt is given up by its signal, and its place among the retries is free again", async () => {
    const { budget, runtime } = made();
    const controller = new AbortController();
    const answer = budget.run(() => Promise.reject(refusal()), { signal: controller.signal });
    await runtime.advance(0);
    expect(budget.status()).toMatchObject({ inflight: 1, retries: 1 });
    controller.abort(new Error("given up"));
    await expect(answer).rejects.toThrow("given up");
    expect(budget.status()).toMatchObject({ inflight: 0, retries: 0 });
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("the budget", () => {
  it.each([
    [2, 1, true],
    [3, 10, false],
    [3, 15, true],
    [4, 20, true],
    [5, 20, false],
  ])("with %i retries under way of %i calls in flight lets one more go out: %s", (retries, inflight, allowed) => {
    expect(new ShareBudget(0.2, 3).allows(retries, inflight)).toBe(allowed);
  });

  it("lets retries be at most a fifth of what is in flight, however many fail, and one more for whoever asks last", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (callers) => {
        const { budget, runtime } = made({ retries: 2 });
        let worst = 0;
        const look = (): void => {
          worst = Math.max(worst, budget.status().retries);
        };
        const all = Array.from({ length: callers }, () =>
          budget
            .run(async () => {
              await new Promise<void>((resolve) => runtime.setTimer(resolve, 10 * runtime.random()));
              look();
              throw refusal();
            })
            .catch(look),
        );
        await runtime.advance(5_000);
        await Promise.all(all);
        expect(worst).toBeLessThanOrEqual(Math.max(3, callers * 0.2 + 1));
        expect(budget.status()).toMatchObject({ inflight: 0, retries: 0 });
      }),
      { numRuns: 30 },
    );
  });

  it("that is empty holds the call back all the same, and lets it go out if there is a place by then", async () => {
    const { budget, runtime, heard } = made({ minRetries: 1, ratio: 0, retries: 1, baseDelay: 1_000 });
    const ends: (() => void)[] = [];
    // One retry that takes long keeps the only place.
    const first = budget.run(async (attempt) => {
      if (attempt === 0) throw failure();
      await new Promise<void>((resolve) => ends.push(resolve));
    });
    await runtime.advance(1_000);
    expect(budget.status()).toMatchObject({ retries: 1, open: false });
    const settledAt: number[] = [];
    const beganMs = runtime.now();
    const second = budget.run(() => Promise.reject(failure())).catch(() => settledAt.push(runtime.now() - beganMs));
    await runtime.advance(0);
    expect(settledAt).toEqual([]);
    await runtime.advance(1_000);
    await second;
    expect(settledAt[0]).toBeGreaterThan(0);
    expect(heard).toEqual([{ reason: "budget", attempts: 1 }]);
    const third = budget.run(async (attempt) => (attempt === 0 ? Promise.reject(failure()) : "second try"));
    await runtime.advance(0);
    ends[0]?.();
    await runtime.advance(1_000);
    expect(await third).toBe("second try");
    await first;
  });

  it("of tokens is gRPC's: one for each attempt that is not taken, a part of one for each that is, and retries above half", async () => {
    const tokens = new TokenBudget(10, 0.1);
    for (let n = 0; n < 4; n++) tokens.ended(false);
    expect(tokens.allows()).toBe(true);
    tokens.ended(false);
    expect(tokens.allows()).toBe(false);
    tokens.ended(true);
    expect(tokens.allows()).toBe(true);
    for (let n = 0; n < 100; n++) tokens.ended(true);
    expect(tokens.tokens).toBe(10);
    for (let n = 0; n < 20; n++) tokens.ended(false);
    expect(tokens.tokens).toBe(0);
    const { budget, runtime } = made({ tokens: { max: 4, ratio: 0.5 }, retries: 10 });
    let calls = 0;
    const all = budget.run(() => {
      calls += 1;
      return Promise.reject(refusal());
    });
    const settled = expect(all).rejects.toThrow("no");
    await runtime.advance(60_000);
    await settled;
    expect(calls).toBe(2);
  });
});

describe("the options", () => {
  it.each<[RetryBudgetOptions, RegExp]>([
    [{ ratio: Number.NaN }, /ratio is NaN; give a number from 0 to 1/],
    [{ ratio: 2 }, /ratio is 2/],
    [{ retries: Number.POSITIVE_INFINITY }, /retries is Infinity; give a whole number from 0 to 100/],
    [{ minRetries: -1 }, /minRetries is -1/],
    [{ tokens: { max: 0 } }, /tokens.max is 0/],
    [{ tokens: {}, ratio: 0.1 }, /tokens is an object; leave out ratio and minRetries/],
    [{ baseDelay: 0 }, /baseDelay is 0; give at least 1 ms/],
    [{ baseDelay: "5s", maxDelay: "1s" }, /maxDelay is "1s"; give at least 5000 ms/],
    [{ maxDelay: Number.POSITIVE_INFINITY }, /maxDelay is Infinity/],
  ])("refuses %o", (options, message) => {
    expect(() => createRetryBudget(options)).toThrow(message);
  });

  it("and run refuse what is no function, and do not try it again", async () => {
    await expect(createRetryBudget().run("send" as never)).rejects.toThrow(/call is "send"; give a function/);
  });
});

describe("a wrapped function", () => {
  it("has a signal of each call, and keeps its name and its this", async () => {
    const runtime = new VirtualRuntime();
    const budget = createRetryBudget({ runtime });
    const aborted = new AbortController();
    const api = {
      calls: 0,
      get: budget.wrap(
        async function get(this: { calls: number }, _signal: AbortSignal): Promise<number> {
          this.calls += 1;
          throw new TypeError("fetch failed");
        },
        { signal: (signal) => signal },
      ),
    };
    const ended = api.get(aborted.signal).catch((error: unknown) => error);
    await runtime.advance(0);
    aborted.abort("enough");
    expect([await ended, api.calls, api.get.name]).toEqual(["enough", 1, "get"]);
  });
});
