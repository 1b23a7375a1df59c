import { describe, expect, it } from "vitest";
import {
  type CoordinationStore,
  createThrottle,
  type Grant,
  MemoryStore,
  type Runtime,
  type Throttle,
  type ThrottleOptions,
  type View,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

class SlowAnswers extends MemoryStore {
  readonly #runtime: Runtime;
  readonly #afterMs: number;

  constructor(options: { readonly runtime: Runtime }, afterMs: number) {
    super(options);
    this.#runtime = options.runtime;
    this.#afterMs = afterMs;
  }

  override async sync(...call: Parameters<MemoryStore["sync"]>): Promise<View> {
    const view = await super.sync(...call);
    if (this.#afterMs === 0) return view;
    return new Promise((resolve) => this.#runtime.setTimer(() => resolve(view), this.#afterMs));
  }
}

/** Processes that share 60 a minute; the clock stands 5 s into a minute. */
class Minute {
  readonly runtime = new VirtualRuntime({ startMs: 600_005_000 });
  readonly store: CoordinationStore;
  readonly #throttles: Throttle[] = [];

  /** @param answersAfterMs how long an answer of the store to a sync is on its way */
  constructor(answersAfterMs = 0) {
    this.store = new SlowAnswers({ runtime: this.runtime }, answersAfterMs);
  }

  async join(options: Partial<ThrottleOptions> = {}): Promise<Throttle> {
    const { runtime, store } = this;
    const throttle = createThrottle({ name: "g", max: 60, interval: "1m", shares: "even", store, runtime, ...options });
    await throttle.start();
    this.#throttles.push(throttle);
    return throttle;
  }

  /** Two syncs and a little: everybody has told what it holds, and heard what that makes free. */
  async sync(): Promise<void> {
    await this.runtime.advance(2_500);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#throttles.map((throttle) => throttle.stop()));
  }
}

describe("within the minute that runs", () => {
  it("the first tokens of a new group come with the start", async () => {
    const minute = new Minute();
    const a = await minute.join();
    expect(a.tryAcquireUpTo(100)).toBe(60);
    await minute.stop();
  });

  it("a process that joins is served as soon as the others have heard of it, with what they have not used", async () => {
    const minute = new Minute();
    const a = await minute.join();
    expect(a.tryAcquireUpTo(10)).toBe(10);
    const b = await minute.join();
    const waiting = b.acquireUpTo(1);
    await minute.sync();
    expect(await waiting).toBe(1);
    expect([a.tryAcquireUpTo(100), b.tryAcquireUpTo(100)]).toEqual([20, 29]);
    await minute.sync();
    expect([a.tryAcquireUpTo(100), b.tryAcquireUpTo(100)]).toEqual([0, 0]);
    await minute.stop();
  });

  it("and with no more than that: what was used before it came comes with the next minute", async () => {
    const minute = new Minute();
    const a = await minute.join();
    expect(a.tryAcquireUpTo(45)).toBe(45);
    const b = await minute.join();
    await minute.sync();
    expect([a.tryAcquireUpTo(100), b.tryAcquireUpTo(100)]).toEqual([0, 15]);
    await minute.runtime.advance(60_000);
    expect([a.tryAcquireUpTo(100), b.tryAcquireUpTo(100)]).toEqual([30, 30]);
    await minute.stop();
  });

  it("what a process left unused when it stopped is used by the others", async () => {
    const minute = new Minute();
    const [a, b] = [await minute.join(), await minute.join()];
    await minute.sync();
    expect([a.tryAcquireUpTo(5), b.tryAcquireUpTo(100)]).toEqual([5, 30]);
    await a.stop();
    await minute.sync();
    expect(b.tryAcquireUpTo(100)).toBe(25);
    await minute.sync();
    expect(b.tryAcquireUpTo(100)).toBe(0);
    await minute.stop();
  });

  it("what was used and given up counts once: a share that comes back brings no tokens that were used", async () => {
    const minute = new Minute();
    const a = await minute.join();
    expect(a.tryAcquireUpTo(50)).toBe(50);
    const b = await minute.join();
    await minute.sync();
    // 20 of the 30 that it gave up were used.
    expect(b.tryAcquireUpTo(4)).toBe(4);
    await b.stop();
    await minute.sync();
    expect(a.tryAcquireUpTo(100)).toBe(6);
    await minute.sync();
    expect(a.tryAcquireUpTo(100)).toBe(0);
    expect(a.status()).toMatchObject({ share: 36, used: 56 });
    await minute.stop();
  });

  it("tokens that were given back count as unused", async () => {
    const minute = new Minute();
    const a = await minute.join();
    const grant = a.tryAcquireGrant(60) as Grant;
    grant.deposit(40);
    const b = await minute.join();
    await minute.sync();
    expect([a.tryAcquireUpTo(100), b.tryAcquireUpTo(100)]).toEqual([10, 30]);
    await minute.stop();
  });

  it("tokens released evenly go on at the instants of the share as it is now", async () => {
    const minute = new Minute();
    const a = await minute.join({ release: "even", burst: 60 });
    const b = await minute.join({ release: "even", burst: 60 });
    await minute.sync();
    await minute.runtime.advance(22_500);
    // Half of the minute has passed.
    expect([a.tryAcquireUpTo(100), b.tryAcquireUpTo(100)]).toEqual([16, 15]);
    await b.stop();
    await minute.sync();
    // Its share is 45 from here: what the other did not use is spread over the minute as well.
    const later = a.tryAcquireUpTo(100);
    expect(later).toBe(8);
    await minute.runtime.advance(27_000);
    const calls = 16 + 15 + later + a.tryAcquireUpTo(100);
    expect([58, 59, 60]).toContain(calls);
    await minute.stop();
  });

  it("tokens used in the minute before are no excuse in the next: an answer that crosses its end changes nothing", async () => {
    let shrunkAcross = 0;
    for (let fromEndMs = 100; fromEndMs <= 2_500; fromEndMs += 100) {
      const minute = new Minute(350);
      const a = await minute.join();
      await minute.runtime.advance(60_000 - 5_000 - fromEndMs);
      expect(a.tryAcquireUpTo(60)).toBe(60);
      const b = await minute.join();
      await minute.runtime.advance(fromEndMs + 200);
      const shared = a.status().share;
      if (shared === 30) shrunkAcross += 1;
      const used = [a.tryAcquireUpTo(100), b.tryAcquireUpTo(100)];
      await minute.sync();
      used.push(a.tryAcquireUpTo(100), b.tryAcquireUpTo(100));
      expect(used.reduce((sum, tokens) => sum + tokens)).toBeLessThanOrEqual(60);
      await minute.stop();
    }
    expect(shrunkAcross).toBeGreaterThan(0);
  });
});
