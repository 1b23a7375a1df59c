import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Runtime, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const MAX = 1_000;
const MEASURED_MS = 9_000;

interface World {
  readonly throttle: Throttle;
  readonly runtime: VirtualRuntime;
  /** How late every timer of the throttle is from now on. */
  late: number;
}

/** A throttle of 1,000 tokens in ten seconds, alone in its group, one second into an epoch. */
async function world(options: Partial<ThrottleOptions> = {}): Promise<World> {
  const runtime = new VirtualRuntime();
  const late: Runtime = {
    now: () => runtime.now(),
    random: () => runtime.random(),
    setTimer: (callback, ms) => runtime.setTimer(callback, ms + made.late),
  };
  const store = new MemoryStore({ runtime });
  const settings = { name: "g", max: MAX, interval: "10s", release: "even", store, runtime: late } as const;
  const made: World = { throttle: createThrottle({ ...settings, ...options }), runtime, late: 0 };
  await made.throttle.start();
  await runtime.advance(11_000 - (runtime.now() % 10_000));
  made.throttle.tryAcquireUpTo(MAX);
  return made;
}

/** The most calls in any span of so many milliseconds. */
function mostWithin(instants: readonly number[], spanMs: number): number {
  return Math.max(...instants.map((at) => instants.filter((other) => other >= at && other < at + spanMs).length));
}

/** Callers that ask for one token after another, and when they get them. */
function keepAsking({ throttle, runtime }: World, callers: number, timeout?: number): number[] {
  const instants: number[] = [];
  const ask = async (): Promise<void> => {
    for (;;) if ((await throttle.acquireUpTo(1, { timeout })) !== undefined) instants.push(runtime.now());
  };
  for (let i = 0; i < callers; i++) ask().catch(() => undefined);
  return instants;
}

describe('release: "even" with timers that are late', () => {
  it.each([
    { late: 20, callers: 50, least: 0.97 },
    { late: 50, callers: 50, least: 0.97 },
    { late: 20, callers: 1, least: 0.97 },
    { late: 50, callers: 1, least: 0.97 },
    // Kept for 100 ms: when a timer fires after 200 ms, half of what came due is still there.
    { late: 200, callers: 50, least: 0.45 },
  ])("$callers callers, $late ms late: nearly all of the limit", async ({ late, callers, least }) => {
    const made = await world({ burst: 1 });
    made.late = late;
    const instants = keepAsking(made, callers);
    await made.runtime.advance(MEASURED_MS - 1_000);
    expect(instants.length).toBeGreaterThan((least * MAX * (MEASURED_MS - 1_000)) / 10_000);
    // In a tenth of a second come its ten tokens, and the ten that were late; one more at each end.
    expect(mostWithin(instants, 100)).toBeLessThanOrEqual(22);
    await made.throttle.stop();
  });

  it("callers that give up and come again lose nothing either", async () => {
    const made = await world({ burst: 1 });
    made.late = 40;
    const instants = keepAsking(made, 1, 15);
    await made.runtime.advance(MEASURED_MS - 1_000);
    expect(instants.length).toBeGreaterThan((0.97 * MAX * (MEASURED_MS - 1_000)) / 10_000);
    await made.throttle.stop();
  });

  it("a process that stood still for five seconds sends 100 ms' worth at once, and no more", async () => {
    const made = await world({ burst: 1 });
    const instants = keepAsking(made, 200);
    await made.runtime.advance(500);
    // No timer fires meanwhile; the store, in another process, does not stand still.
    made.late = 5_000;
    await made.runtime.advance(5_300);
    const before = instants.filter((at) => at < made.runtime.now() - 4_000).length;
    expect(mostWithin(instants, 1)).toBeGreaterThan(5);
    expect(mostWithin(instants, 1)).toBeLessThanOrEqual(11);
    expect(instants.length - before).toBeLessThanOrEqual(45);
    await made.throttle.stop();
  });

  it("what no caller waited for accumulates to 2 % of the share", async () => {
    const made = await world();
    made.late = 20;
    await made.runtime.advance(3_000);
    expect(made.throttle.tryAcquireUpTo(MAX)).toBe(20);
    await made.throttle.stop();
  });
});
