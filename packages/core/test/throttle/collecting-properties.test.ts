import fc from "fast-check";
import { expect, it } from "vitest";
import { createThrottle, MemoryStore, type Release } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const MAX = 7;

type Step = (
  | { readonly do: "acquire" | "acquireUpTo" | "run"; readonly cost: number; readonly timeout: number | undefined }
  | { readonly do: "abort" }
  | { readonly do: "cap"; readonly level: number | undefined }
) & { readonly signal: number; readonly priority: number; readonly thenMs: number };

const common = {
  signal: fc.integer({ min: 0, max: 2 }),
  priority: fc.constantFrom(0, 0, 0, 1),
  thenMs: fc.constantFrom(0, 0, 0, 0, 300, 900),
};
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom("acquire", "acquire", "acquireUpTo", "run"),
        cost: fc.integer({ min: 1, max: MAX }),
        timeout: fc.constantFrom(undefined, undefined, 300, 1_500),
        ...common,
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("abort"), ...common }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("cap"), level: fc.constantFrom(0, 2, undefined), ...common }) },
  ),
  { minLength: 30, maxLength: 60 },
) as fc.Arbitrary<Step[]>;

it.each<Release>(["epoch", "even"])(
  "every call ends, whichever gives up, and no token is granted to two (%s)",
  async (release) => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const runtime = new VirtualRuntime();
        const store = new MemoryStore({ runtime });
        const throttle = createThrottle({ name: "g", max: MAX, store, runtime, release });
        const signals = [new AbortController(), new AbortController(), new AbortController()];
        let granted = 0;
        let spent = 0;
        let open = 0;
        let most = 0;
        throttle.on("grant", ({ tokens }) => {
          granted += tokens;
        });
        throttle.on("deposit", ({ tokens }) => {
          spent += tokens;
        });
        const ask = async (call: Promise<number>): Promise<void> => {
          open += 1;
          spent += await call.catch(() => 0);
          open -= 1;
          most = Math.max(most, spent - granted);
        };
        for (const step of steps) {
          const controller = signals[step.signal] as AbortController;
          if (step.do === "abort") {
            controller.abort("given up");
            signals[step.signal] = new AbortController();
          } else if (step.do === "cap") throttle.cap(step.level);
          else {
            const { cost, timeout, priority } = step;
            // The last of the signals is none: such a caller waits on.
            const options = { timeout, priority, ...(step.signal === 2 ? {} : { signal: controller.signal }) };
            if (step.do === "acquireUpTo") void ask(throttle.acquireUpTo(cost, options));
            else if (step.do === "acquire") void ask(throttle.acquire(cost, options).then(() => cost));
            else void ask(throttle.run(() => cost, { ...options, cost }));
          }
          if (step.thenMs > 0) await runtime.advance(step.thenMs);
        }
        throttle.cap();
        await runtime.advance(60_000);
        expect([open, throttle.status().waiting, most]).toEqual([0, 0, 0]);
        expect(await throttle.drain()).toBe(true);
        expect(runtime.pendingTimers).toBe(0);
      }),
      { numRuns: 200 },
    );
  },
);
