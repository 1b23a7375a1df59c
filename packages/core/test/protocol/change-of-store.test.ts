import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const MAX = 60;
const PROCESSES = 6;

/** A fleet of greedy processes, and the calls that reach the callee, counted by the second as the callee would. */
class Fleet {
  readonly runtime = new VirtualRuntime();
  readonly before = new MemoryStore({ runtime: this.runtime });
  readonly after = new MemoryStore({ runtime: this.runtime });
  readonly #calls = new Map<number, number>();
  readonly #running = new Map<number, Throttle>();

  /** A rolling restart with another configuration: one process every three seconds. */
  async roll(store: MemoryStore, max: number): Promise<void> {
    for (let process = 0; process < PROCESSES; process++) {
      const replaced = this.#running.get(process)?.stop();
      const throttle = createThrottle({ name: "payments", max, store, learning: 0, runtime: this.runtime });
      const started = throttle.start();
      this.#running.set(process, throttle);
      await this.pass(3_000);
      await Promise.all([replaced, started]);
    }
  }

  async pass(ms: number): Promise<void> {
    for (const end = this.runtime.now() + ms; this.runtime.now() < end; ) {
      await this.runtime.advance(50);
      for (const throttle of this.#running.values())
        if (throttle.status().state === "running") this.#count(throttle.tryAcquireUpTo(MAX));
    }
  }

  /** The most calls in a second, and the calls of the last whole second. */
  report(): { readonly worst: number; readonly last: number } {
    const last = this.#calls.get(Math.floor(this.runtime.now() / 1_000) - 1) ?? 0;
    return { worst: Math.max(...this.#calls.values()), last };
  }

  forget(): void {
    this.#calls.clear();
  }

  #count(calls: number): void {
    const second = Math.floor(this.runtime.now() / 1_000);
    this.#calls.set(second, (this.#calls.get(second) ?? 0) + calls);
  }
}

describe("a fleet that changes its store", () => {
  it("grants up to twice its limit when processes are simply moved one after the other", async () => {
    const fleet = new Fleet();
    await fleet.roll(fleet.before, MAX);
    fleet.forget();
    await fleet.roll(fleet.after, MAX);
    const { worst } = fleet.report();
    expect(worst).toBeGreaterThan(MAX);
    expect(worst).toBeLessThanOrEqual(2 * MAX);
  });

  it("stays inside its limit when max is halved first, and restored when all have moved", async () => {
    const fleet = new Fleet();
    await fleet.roll(fleet.before, MAX);
    expect(fleet.report().last).toBe(MAX);
    await fleet.roll(fleet.before, MAX / 2);
    await fleet.roll(fleet.after, MAX / 2);
    await fleet.roll(fleet.after, MAX);
    await fleet.pass(5_000);
    expect(fleet.report()).toEqual({ worst: MAX, last: MAX });
  });
});
