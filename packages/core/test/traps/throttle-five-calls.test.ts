import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { createThrottle, type Limiter, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** Five calls never go out on one token, whichever way a program asks. */

function world(options: Partial<ThrottleOptions> = {}) {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new MemoryStore({ runtime });
  return { runtime, throttle: createThrottle({ name: "g", max: 5, store, runtime, ...options }) };
}

/** How many calls a program makes that asks for five tokens and ignores the answer. */
const ASKING: Record<string, (throttle: Throttle, call: () => void) => Promise<void>> = {
  acquire: async (throttle, call) => {
    await throttle.acquire(5);
    for (let i = 0; i < 5; i++) call();
  },
  "acquire with options": async (throttle, call) => {
    await throttle.acquire(5, { timeout: "1m", priority: 3 });
    for (let i = 0; i < 5; i++) call();
  },
  acquireGrant: async (throttle, call) => {
    await throttle.acquireGrant(5);
    for (let i = 0; i < 5; i++) call();
  },
  "run with a cost": (throttle, call) =>
    throttle.run(
      () => {
        for (let i = 0; i < 5; i++) call();
      },
      { cost: 5 },
    ),
  "a wrapped function with a cost": (throttle, call) =>
    throttle.wrap(
      async () => {
        for (let i = 0; i < 5; i++) call();
      },
      { cost: 5 },
    )(),
};

describe.each(Object.entries(ASKING))("%s", (_, ask) => {
  it.each([1, 2, 3, 4])("with %i tokens left makes five calls with five tokens, an epoch later", async (left) => {
    const { runtime, throttle } = world();
    await throttle.start();
    await runtime.advance(1_000);
    throttle.tryAcquireUpTo(5 - left);
    let [calls, tokens] = [0, 0];
    throttle.on("grant", (grant) => {
      tokens += grant.tokens;
    });
    const asked = ask(throttle, () => {
      calls += 1;
      expect(tokens).toBeGreaterThanOrEqual(5);
    });
    await runtime.advance(0);
    expect(calls).toBe(0);
    await runtime.advance(1_000);
    await asked;
    expect([calls, tokens]).toEqual([5, 5]);
    await throttle.stop();
  });

  it("on a cap of one token makes five calls in the fifth epoch", async () => {
    const { runtime, throttle } = world();
    throttle.cap(1);
    let calls = 0;
    const asked = ask(throttle, () => {
      calls += 1;
    });
    await runtime.advance(3_900);
    expect([calls, throttle.status().waiting]).toEqual([0, 1]);
    await runtime.advance(1_100);
    await asked;
    expect(calls).toBe(5);
    await throttle.stop();
  });
});

it("tryAcquire(5) is true only with five tokens", async () => {
  const { runtime, throttle } = world();
  await throttle.start();
  await runtime.advance(1_000);
  expect([throttle.tryAcquire(), throttle.tryAcquire(5), throttle.tryAcquireGrant(5)]).toEqual([
    true,
    false,
    undefined,
  ]);
  expect(throttle.status().used).toBe(1);
  await throttle.stop();
});

it("whatever is asked for, whoever gives up: no more is called than was granted", async () => {
  const step = fc.record({
    cost: fc.integer({ min: 1, max: 7 }),
    priority: fc.integer({ min: -9, max: 9 }),
    timeout: fc.option(fc.integer({ min: 0, max: 2_500 }), { nil: undefined }),
    whenLimited: fc.constantFrom("wait", "throw", "skip"),
    afterMs: fc.integer({ min: 0, max: 700 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 20 }),
      fc.constantFrom<ThrottleOptions["release"]>("epoch", "even"),
      async (steps, release) => {
        const { runtime, throttle } = world({ max: 7, ...(release && { release }) });
        let [called, granted] = [0, 0];
        throttle.on("grant", ({ tokens }) => {
          granted += tokens;
        });
        throttle.on("deposit", ({ tokens, regrantable }) => {
          if (regrantable) granted -= tokens;
        });
        const settled: Promise<unknown>[] = [];
        for (const { cost, afterMs, ...options } of steps) {
          const call = (): string => {
            called += cost;
            expect(called).toBeLessThanOrEqual(granted);
            return "made";
          };
          const made = throttle.run(call, { cost, ...options } as { readonly cost: number });
          settled.push(made.catch(({ code }: { code: string }) => code));
          await runtime.advance(afterMs);
        }
        await runtime.advance(60_000);
        const answers = await Promise.all(settled);
        for (const answer of answers) expect([undefined, "made", "DT_TIMEOUT", "DT_LIMITED"]).toContain(answer);
        // Who waits for as long as it takes is served.
        for (const [i, { timeout, whenLimited }] of steps.entries())
          if (timeout === undefined && whenLimited === "wait") expect(answers[i]).toBe("made");
        await throttle.stop();
        expect(runtime.pendingTimers).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});

it("the types say so: nothing to count, a boolean, a number only where its name says up to", () => {
  const { throttle } = world();
  expectTypeOf(throttle).toMatchTypeOf<Limiter<boolean, void>>();
  expectTypeOf(() => throttle.acquire(5)).returns.resolves.toEqualTypeOf<void>();
  expectTypeOf(() => throttle.tryAcquire(5)).returns.toEqualTypeOf<boolean>();
  expectTypeOf(() => throttle.acquireUpTo(5)).returns.resolves.toEqualTypeOf<number>();
  expectTypeOf(() => throttle.tryAcquireUpTo(5)).returns.toEqualTypeOf<number>();
});
