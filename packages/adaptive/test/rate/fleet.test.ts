import { createThrottle, MemoryStore, type Release, type Throttle } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { type AdaptiveRate, createAdaptiveRate } from "../../src/index.ts";

interface Member {
  readonly throttle: Throttle;
  readonly rate: AdaptiveRate;
  taken: number;
}

/**
 * A callee that takes so many calls a second: of a bucket that fills evenly, or of its own seconds, which are not the
 * fleet's.
 */
function hiddenLimit(runtime: VirtualRuntime, capacity: number, kind: "bucket" | "window"): () => boolean {
  let tokens = capacity;
  let filledMs = 0;
  let second = 0;
  let used = 0;
  return () => {
    const nowMs = runtime.now();
    if (kind === "window") {
      const now = Math.floor(nowMs / 1_000 + 0.37);
      if (now !== second) used = 0;
      second = now;
      used += 1;
      return used <= capacity;
    }
    tokens = Math.min(capacity, tokens + ((nowMs - filledMs) / 1_000) * capacity);
    filledMs = nowMs;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/**
 * A fleet of one group with max 1,000, each member with an adaptive rate over its throttle, that sends whatever it may.
 */
class Fleet {
  readonly runtime = new VirtualRuntime({ seed: 11 });
  readonly store = new MemoryStore({ runtime: this.runtime });
  readonly members: Member[] = [];
  sent = 0;
  taken = 0;

  async join(release: Release): Promise<void> {
    const { runtime, store } = this;
    const throttle = createThrottle({ name: "g", max: 1_000, shares: "even", store, runtime, release });
    await throttle.start();
    this.members.push({ throttle, rate: createAdaptiveRate({ throttle, runtime }), taken: 0 });
  }

  /** Runs for so many seconds; who comes first at each instant is chance. */
  async run(seconds: number, takes: () => boolean): Promise<void> {
    this.sent = 0;
    this.taken = 0;
    for (let look = 0; look < seconds * 50; look++) {
      const order = this.members.map((member) => ({ member, at: this.runtime.random() }));
      for (const { member } of order.sort((a, b) => a.at - b.at))
        for (let call = member.rate.tryAcquire(); call; call = member.rate.tryAcquire()) {
          const ended = call;
          const taken = takes();
          this.sent += 1;
          if (taken) {
            this.taken += 1;
            member.taken += 1;
          }
          this.runtime.setTimer(() => (taken ? ended.success() : ended.overload()), 20);
        }
      await this.runtime.advance(20);
    }
  }
}

describe("a fleet whose max is 1,000, before a callee that takes fewer and nobody wrote down how many", () => {
  it.each([
    [1, 100, "bucket", "epoch"],
    [5, 100, "bucket", "epoch"],
    [5, 100, "window", "epoch"],
    [5, 500, "bucket", "even"],
    [20, 100, "bucket", "even"],
  ] as const)(
    "of %i finds the limit of %i a second (%s, release %s) within 10 s, and stays there",
    async (size, capacity, kind, release) => {
      const fleet = new Fleet();
      for (let n = 0; n < size; n++) await fleet.join(release);
      const takes = hiddenLimit(fleet.runtime, capacity, kind);
      await fleet.run(10, takes);
      for (const member of fleet.members) member.taken = 0;
      await fleet.run(60, takes);
      expect(fleet.sent / (60 * capacity)).toBeLessThanOrEqual(1.1);
      expect(fleet.taken / (60 * capacity)).toBeGreaterThanOrEqual(0.95);
      // Nobody is starved: each has at least a third of its even part over a minute.
      for (const { taken } of fleet.members) expect(taken).toBeGreaterThan((60 * capacity) / size / 3);
      expect(fleet.members[0]?.throttle.status()).toMatchObject({ capacity: 1_000, max: 1_000, members: size });
    },
  );

  it("follows the limit when it changes, and uses all of max again when there is none", async () => {
    const fleet = new Fleet();
    for (let n = 0; n < 3; n++) await fleet.join("even");
    await fleet.run(20, hiddenLimit(fleet.runtime, 100, "bucket"));
    await fleet.run(20, hiddenLimit(fleet.runtime, 400, "bucket"));
    await fleet.run(20, hiddenLimit(fleet.runtime, 400, "bucket"));
    expect(fleet.taken / (20 * 400)).toBeGreaterThanOrEqual(0.95);
    await fleet.run(20, hiddenLimit(fleet.runtime, 50, "bucket"));
    await fleet.run(20, hiddenLimit(fleet.runtime, 50, "bucket"));
    expect(fleet.sent / (20 * 50)).toBeLessThanOrEqual(1.15);
    await fleet.run(30, () => true);
    await fleet.run(10, () => true);
    expect(fleet.taken).toBeGreaterThanOrEqual(9_500);
  });

  it("that sends less than it may takes what each member sends for what all of them do", async () => {
    const fleet = new Fleet();
    for (let n = 0; n < 2; n++) await fleet.join("even");
    // Between the instants of this member's tokens, so that it is never held back.
    await fleet.runtime.advance(5_005);
    const [{ rate }] = fleet.members as [Member, Member];
    for (let n = 0; n < 20; n++) {
      await fleet.runtime.advance(250);
      rate.tryAcquire()?.success();
    }
    await fleet.runtime.advance(50);
    rate.tryAcquire()?.overload();
    // Four a second here and four there, of which 0.7 are left.
    expect(rate.status().rate).toBeCloseTo(5.6, 1);
  });

  it("goes on at max once the adaptive rates are stopped", async () => {
    const fleet = new Fleet();
    await fleet.join("epoch");
    await fleet.run(5, hiddenLimit(fleet.runtime, 10, "bucket"));
    const [{ throttle, rate }] = fleet.members as [Member];
    expect(throttle.status().cap).toBeLessThan(50);
    rate.pause("10s");
    expect(throttle.status().cap).toBe(0);
    await rate.stop();
    expect(throttle.status()).toMatchObject({ cap: undefined, level: 1_000 });
    await fleet.runtime.advance(20_000);
    expect(throttle.status().cap).toBeUndefined();
  });
});
