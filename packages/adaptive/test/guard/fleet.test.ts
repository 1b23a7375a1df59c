import { createSemaphore, createThrottle, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { createGuard } from "../../src/index.ts";

/** Numbers from 0 to 1 that are the same each time. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test.each([1, 2, 3, 4])(
  "guards of a fleet keep to the slots and to the tokens, whichever is short, and every call is made (seed %i)",
  async (seed) => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const random = numbersOf(seed);
    // Slots are short with calls of 400 ms and a rate of 20; tokens are short with a rate of 4.
    const rate = seed % 2 === 0 ? 20 : 4;
    const [slots, callers, callsEach] = [3, 5, 6];
    let running = 0;
    let most = 0;
    const begunIn = new Map<number, number>();
    const call = async (): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      const second = Math.floor(runtime.now() / 1_000);
      begunIn.set(second, (begunIn.get(second) ?? 0) + 1);
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 20 + random() * 760));
      running -= 1;
    };
    const processes = [1, 2, 3].map(() => {
      const throttle = createThrottle({ name: "api", max: rate, store, runtime });
      const semaphore = createSemaphore({ name: "api", max: slots, store, runtime });
      return { throttle, semaphore, guard: createGuard({ throttle, semaphore, maxWaiters: 100, runtime }) };
    });
    const all = processes.flatMap(({ guard, semaphore }, n) =>
      Array.from({ length: callers }, async (_, i) => {
        // One of the callers of a process takes slots without the guard, so that others wait for them.
        const make = i === 0 ? () => semaphore.run(slowly) : () => guard.run(call);
        for (let made = 0; made < callsEach; made++) {
          await make();
          await new Promise<void>((resolve) => void runtime.setTimer(resolve, random() * 100 * n));
        }
      }),
    );
    async function slowly(): Promise<void> {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 300));
      running -= 1;
    }
    let done = false;
    const ended = Promise.all(all).then(() => {
      done = true;
    });
    for (let second = 0; second < 60 && !done; second++) await runtime.advance(1_000);
    expect(done).toBe(true);
    await ended;
    expect(most).toBe(slots);
    expect(Math.max(...begunIn.values())).toBeLessThanOrEqual(rate);
    expect([...begunIn.values()].reduce((sum, count) => sum + count, 0)).toBe(3 * (callers - 1) * callsEach);
    for (const { semaphore } of processes) expect(semaphore.status()).toMatchObject({ inUse: 0, waiting: 0 });
    await Promise.all(processes.flatMap(({ throttle, semaphore }) => [throttle.stop(), semaphore.stop()]));
  },
);
