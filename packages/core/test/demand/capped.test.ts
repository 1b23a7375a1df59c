import { describe, expect, it } from "vitest";
import { Crowd } from "./support.ts";

const sum = (tokens: readonly number[]): number => tokens.reduce((total, n) => total + n, 0);

describe("a capped member that shares by demand", () => {
  it.each([
    [5, 100, 50],
    [5, 100, 5],
    [5, 100, 1],
    [5, 100, 0],
    [2, 100, 1],
    [3, 30, 2],
  ])(
    "leaves to others what it may not use: of %i that want more, %i tokens, capped at %i",
    async (members, max, cap) => {
      const group = new Crowd(max);
      for (let i = 0; i < members; i++) (await group.join()).perSecond = max;
      group.callers[0]?.throttle.cap(cap);
      await group.run(30_000);
      const had = await group.run(30_000);
      const [own = 0, ...others] = had;
      expect(sum(had) / 30, `${had}`).toBeGreaterThan(0.97 * max);
      // Its part of a level that is the cap, and no less than its even part.
      const most = (max * cap) / max / (members - 1 + cap / max) + 1;
      expect(own / 30).toBeLessThanOrEqual(most);
      expect(own / 30).toBeGreaterThanOrEqual(0.9 * (cap / members) - 0.05);
      for (const other of others) expect(other).toBeGreaterThan((0.9 * (sum(had) - own)) / (members - 1));
      if (cap === 0)
        expect(group.callers[0]?.throttle.status()).toMatchObject({ held: Math.floor(max / 50 / members) });
      await group.stop();
    },
  );

  it.each([
    [4, 60, 30],
    [5, 60, 10],
  ])(
    "beside others that are capped alike has its part of that: %i members, %i tokens, capped at %i",
    async (members, max, cap) => {
      const group = new Crowd(max);
      for (let i = 0; i < members; i++) {
        const caller = await group.join();
        caller.perSecond = max;
        caller.throttle.cap(cap);
      }
      await group.run(20_000);
      const had = await group.run(60_000);
      expect(sum(had) / 60, `${had}`).toBeGreaterThan(0.9 * cap);
      expect(sum(had) / 60, `${had}`).toBeLessThan(1.1 * cap);
      await group.stop();
    },
  );

  it("that alone is busy has most of its cap", async () => {
    const group = new Crowd(100);
    for (let i = 0; i < 5; i++) (await group.join()).throttle.cap(50);
    const [busy] = group.callers;
    if (busy) busy.perSecond = 100;
    await group.run(20_000);
    const [had = 0] = await group.run(30_000);
    expect(had / 30).toBeGreaterThan(35);
    expect(had / 30).toBeLessThanOrEqual(50);
    await group.stop();
  });
});
