import { settle, VirtualRuntime } from "@dt/core/testing";

/**
 * Runs something in virtual time: whenever it waits for nothing but timers, time moves on to the next one. What takes a
 * store ten seconds of waiting takes no time at all, and the same schedule comes out each time.
 * @throws Error when it waits for something that no timer brings
 */
export async function inVirtualTime<T>(run: (runtime: VirtualRuntime) => Promise<T>): Promise<T> {
  const runtime = new VirtualRuntime();
  let running = true;
  const result = run(runtime).finally(() => {
    running = false;
  });
  result.catch(() => {});
  while (running) {
    await settle();
    if (!running) break;
    if (runtime.nextTimerMs === Number.POSITIVE_INFINITY)
      throw new Error("nothing is left that could happen, and the run has not ended");
    await runtime.advance(Math.max(0, runtime.nextTimerMs - runtime.now()));
  }
  return result;
}
