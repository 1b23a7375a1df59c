import { createThrottle, type DtError, MemoryStore, type Throttle, type ThrottleOptions } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { createGuard, type GuardAcquireOptions, type GuardOptions, type Passage } from "../../src/index.ts";

export const overload = (retryAfterMs?: number) => ({ outcome: "overload", retryAfterMs }) as const;
export const success = { outcome: "success" } as const;

/** A guard, its time, and callers who say when they were let through. */
export function world(options: (runtime: VirtualRuntime) => GuardOptions = () => ({})) {
  const runtime = new VirtualRuntime();
  const guard = createGuard({ runtime, ...options(runtime) });
  const log: string[] = [];
  const passages: Passage[] = [];
  const startMs = runtime.now();
  const come = (name: string, options: GuardAcquireOptions = {}): void => {
    guard.acquire(1, options).then(
      (passage) => {
        passages.push(passage);
        log.push(`${name} in ${runtime.now() - startMs}`);
      },
      (error: DtError | string) => log.push(`${name} ${typeof error === "string" ? error : error.code}`),
    );
  };
  return { runtime, guard, log, passages, come };
}

export async function startedThrottle(
  runtime: VirtualRuntime,
  options: Partial<ThrottleOptions> = {},
): Promise<{ throttle: Throttle; used: () => number }> {
  const throttle = createThrottle({ name: "g", max: 2, store: new MemoryStore({ runtime }), runtime, ...options });
  let used = 0;
  throttle.on("grant", ({ tokens }) => {
    used += tokens;
  });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return { throttle, used: () => used };
}
