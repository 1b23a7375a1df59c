import type { VirtualRuntime } from "@dt/core/testing";

/** Lets time pass until it settles. */
export async function soon<T>(world: VirtualRuntime, promise: Promise<T>, withinMs = 10_000): Promise<T> {
  let settled = false;
  const settle = (): void => {
    settled = true;
  };
  promise.then(settle, settle);
  const untilMs = world.now() + withinMs;
  await world.advance(0);
  while (!settled && world.nextTimerMs <= untilMs) await world.advance(world.nextTimerMs - world.now());
  if (!settled) throw new Error(`nothing within ${withinMs} ms`);
  return promise;
}
