import { type AcquireOptions, type CallCounts, type DecidedCall, isDtError, type LimiterStatus } from "@dt/core";
import type { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";

/** A limiter with its options bound to it: one key, or units that fit. */
export interface Outcomes {
  readonly runtime: VirtualRuntime;
  status(): LimiterStatus;
  onDecided(listener: (call: DecidedCall<unknown>) => void): unknown;
  /** Asks once: true where it was granted. */
  tryAcquire(): unknown;
  /** Waits for a right; one that has to be given back is kept. */
  acquire(options: AcquireOptions): Promise<unknown>;
  /** Makes a call with `whenLimited: "throw"`. */
  run(options: AcquireOptions): Promise<unknown>;
  /** Takes what is left, so that the next call has to wait; not counted where it is done elsewhere. */
  exhaust(): Promise<void> | void;
  /** Gives back what was taken, or lets the time pass that it takes. */
  free(): Promise<void> | void;
  /** From now on the store does not answer, and shares are over. Left out where there is no store. */
  readonly cutStore?: () => Promise<void> | void;
  stop(): Promise<unknown>;
}

const NONE: CallCounts = { granted: 0, waited: 0, refused: 0, timedOut: 0, canceled: 0, storeError: 0 };

const codeOf = (error: unknown): unknown => (isDtError(error) ? error.code : error);

/**
 * Makes tests of how the calls of a limiter are counted: each way in which one comes out, and when it is limiting.
 * @param open a limiter that lets one caller wait, with nothing asked of it yet
 */
export function testOutcomes(open: () => Promise<Outcomes>): void {
  async function world() {
    const limiter = await open();
    const told: DecidedCall<unknown>[] = [];
    limiter.onDecided((call) => told.push(call));
    const start = limiter.status().calls;
    /** What has been counted since the limiter was made ready. */
    const counts = (): CallCounts => {
      const { calls } = limiter.status();
      const since = Object.entries(calls).map(([name, n]) => [name, n - start[name as keyof CallCounts]]);
      return Object.fromEntries(since) as unknown as CallCounts;
    };
    return { limiter, told, counts };
  }
  /** A call under way, and how it ended. */
  const ended = (call: Promise<unknown>): Promise<unknown> => call.then(() => "granted", codeOf);

  it("counts a grant at once, tells no listener, and is not limiting", async () => {
    const { limiter, told, counts } = await world();
    const call = ended(limiter.acquire({}));
    await limiter.runtime.advance(0);
    expect(await call).toBe("granted");
    expect(counts()).toEqual({ ...NONE, granted: 1 });
    expect(told).toEqual([]);
    expect(limiter.status()).toMatchObject({ limiting: false, maxWaiters: 1, waiting: 0 });
    await limiter.stop();
  });

  it("counts an answer of no, tells no listener, and is limiting for 30 s", async () => {
    const { limiter, told, counts } = await world();
    await limiter.exhaust();
    expect(limiter.status().limiting).toBe(false);
    const { granted } = counts();
    expect(await limiter.tryAcquire()).toBeFalsy();
    await limiter.runtime.advance(0);
    expect(counts()).toEqual({ ...NONE, granted, refused: 1 });
    expect(told).toEqual([]);
    expect(limiter.status().limiting).toBe(true);
    await limiter.runtime.advance(29_000);
    expect(limiter.status().limiting).toBe(true);
    await limiter.runtime.advance(1_000);
    expect(limiter.status().limiting).toBe(false);
    await limiter.stop();
  });

  it("counts calls that do not wait and are refused", async () => {
    const { limiter, told, counts } = await world();
    await limiter.exhaust();
    const { granted } = counts();
    const limited = ended(limiter.run({ priority: 3 }));
    await limiter.runtime.advance(0);
    expect(await limited).toBe("DT_LIMITED");
    expect(counts()).toEqual({ ...NONE, granted, refused: 1 });
    const late = ended(limiter.acquire({ timeout: 0 }));
    await limiter.runtime.advance(0);
    expect(await late).toBe("DT_TIMEOUT");
    expect(counts()).toEqual({ ...NONE, granted, refused: 1, timedOut: 1 });
    expect(told).toMatchObject([
      { result: "refused", waitedMs: 0, priority: 3 },
      { result: "timedOut", waitedMs: 0, priority: 0 },
    ]);
    expect(limiter.status().limiting).toBe(true);
    await limiter.stop();
  });

  it("counts callers that wait: served, out of time, aborted, too many, and stopped", async () => {
    const { limiter, told, counts } = await world();
    await limiter.exhaust();
    const { granted } = counts();
    const { runtime } = limiter;
    const late = ended(limiter.acquire({ timeout: 20 }));
    await runtime.advance(20);
    expect(await late).toBe("DT_TIMEOUT");
    const abort = new AbortController();
    const aborted = ended(limiter.acquire({ signal: abort.signal, priority: -2 }));
    await runtime.advance(10);
    abort.abort("enough");
    expect(await aborted).toBe("enough");
    await runtime.advance(0);
    expect(counts()).toEqual({ ...NONE, granted, timedOut: 1, canceled: 1 });
    const served = ended(limiter.acquire({}));
    const tooMany = ended(limiter.acquire({}));
    await runtime.advance(0);
    expect(await tooMany).toBe("DT_QUEUE_FULL");
    expect(limiter.status()).toMatchObject({ waiting: 1, limiting: true });
    await runtime.advance(5);
    await limiter.free();
    expect(await served).toBe("granted");
    expect(counts()).toEqual({ ...NONE, granted: granted + 1, waited: 1, refused: 1, timedOut: 1, canceled: 1 });
    expect(told.map(({ result, priority }) => [result, priority])).toEqual([
      ["timedOut", 0],
      ["canceled", -2],
      ["refused", 0],
      ["granted", 0],
    ]);
    const [timedOut, canceled, refused, waited] = told.map(({ waitedMs }) => waitedMs);
    // Where it is known that a call will be late, it does not wait.
    expect([0, 20]).toContain(timedOut);
    expect([canceled, refused]).toEqual([10, 0]);
    expect(waited).toBeGreaterThanOrEqual(5);
    await limiter.exhaust();
    const before = counts();
    const stopped = ended(limiter.acquire({}));
    await runtime.advance(1);
    await limiter.stop();
    expect(await stopped).toBe("DT_STOPPED");
    expect(counts()).toEqual({ ...before, canceled: before.canceled + 1 });
    // A call that comes too late is none.
    expect(await ended(limiter.acquire({}))).toBe("DT_STOPPED");
    expect(counts()).toEqual({ ...before, canceled: before.canceled + 1 });
  });

  it("is limiting while a caller waits, and for 30 s after", async () => {
    const { limiter } = await world();
    await limiter.exhaust();
    const abort = new AbortController();
    const waits = ended(limiter.acquire({ signal: abort.signal }));
    await limiter.runtime.advance(500);
    expect(limiter.status().limiting).toBe(true);
    abort.abort("enough");
    await waits;
    await limiter.runtime.advance(29_000);
    expect(limiter.status().limiting).toBe(true);
    await limiter.runtime.advance(2_000);
    expect(limiter.status().limiting).toBe(false);
    await limiter.stop();
  });

  it("counts what fails with the store, which is not limiting", async () => {
    const { limiter, told, counts } = await world();
    if (limiter.cutStore === undefined) return limiter.stop();
    await limiter.cutStore();
    const before = counts();
    const failed = ended(limiter.acquire({}));
    await limiter.runtime.advance(30_000);
    expect(await failed).toMatch(/^DT_STORE_/);
    expect(counts()).toEqual({ ...before, storeError: 1 });
    expect(told).toMatchObject([{ result: "storeError", priority: 0 }]);
    expect(limiter.status().limiting).toBe(false);
    await limiter.stop();
    return undefined;
  });
}
