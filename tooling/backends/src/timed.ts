/** How a promise settled, and how long that took. */
export interface Timed<T = unknown> {
  readonly value?: T;
  readonly error?: unknown;
  /** Milliseconds in which this process could run. */
  readonly ms: number;
}

const TICK_MS = 5;

/**
 * Waits for a promise and tells how long it took, without the time in which the machine gave this process no processor:
 * a deadline of a second is kept on a machine that stands still for three. What the process computes itself counts,
 * also when it blocks its own loop.
 */
export async function timed<T>(promise: Promise<T>): Promise<Timed<T>> {
  const startMs = performance.now();
  let [seenMs, cpuMs, stalledMs] = [startMs, cpuTimeMs(), 0];
  const look = (): void => {
    const [now, cpu] = [performance.now(), cpuTimeMs()];
    stalledMs += Math.max(0, now - seenMs - TICK_MS - (cpu - cpuMs));
    [seenMs, cpuMs] = [now, cpu];
  };
  const ticking = setInterval(look, TICK_MS);
  const ms = (): number => {
    clearInterval(ticking);
    look();
    return seenMs - startMs - stalledMs;
  };
  try {
    const value = await promise;
    return { value, ms: ms() };
  } catch (error) {
    return { error, ms: ms() };
  }
}

function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
