import { describe, expect, it } from "vitest";
import { Crowd } from "./support.ts";

/** Joins so many, each with its rate, and lets what changes at first settle. */
async function crowd(max: number, rates: readonly number[], evens = 0): Promise<Crowd> {
  const crowd = new Crowd(max);
  for (const [place, rate] of rates.entries())
    (await crowd.join(place < evens ? { shares: "even" } : {})).perSecond = rate;
  await crowd.run(8_000);
  return crowd;
}

const perSecond = (granted: readonly number[], seconds: number): number[] => granted.map((tokens) => tokens / seconds);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe("shares that follow demand", () => {
  it("leave one busy process what the others do not use, and these all they ask for", async () => {
    const group = await crowd(100, [120, 5, 5, 5, 5]);
    const [busy = 0, ...light] = perSecond(await group.run(10_000), 10);
    expect(busy).toBeGreaterThan(78);
    for (const rate of light) expect(rate).toBeGreaterThan(4.8);
    expect(group.most).toBeLessThanOrEqual(100);
    await group.stop();
  });

  it("are the same for all where all want more than there is", async () => {
    const group = await crowd(100, Array(10).fill(30));
    const rates = perSecond(await group.run(10_000), 10);
    expect(sum(rates)).toBeGreaterThan(99);
    for (const rate of rates) expect(rate).toBeCloseTo(10, 0);
    expect(group.most).toBeLessThanOrEqual(100);
    await group.stop();
  });

  it("go round where there are fewer tokens than processes", async () => {
    const group = await crowd(3, Array(12).fill(2));
    const granted = await group.run(60_000);
    expect(sum(granted)).toBeGreaterThan(0.9 * 180);
    expect(Math.min(...granted)).toBeGreaterThan(7);
    expect(Math.max(...granted)).toBeLessThan(24);
    expect(group.most).toBeLessThanOrEqual(3);
    await group.stop();
  });

  it("take turns with a single token", async () => {
    const group = await crowd(1, [3, 3]);
    const [a = 0, b = 0] = await group.run(40_000);
    expect(a + b).toBeGreaterThan(36);
    expect(Math.min(a, b)).toBeGreaterThan(12);
    await group.stop();
  });

  it("give an idle process its first token at once, and its part within seconds, while the others use everything", async () => {
    const group = await crowd(100, [0, 60, 60, 60, 60]);
    const [idle] = group.callers;
    if (!idle) throw new Error("nobody joined");
    const beganMs = group.runtime.now();
    const first = idle.throttle.acquireUpTo(1);
    await group.run(250);
    expect(await first).toBe(1);
    expect(group.runtime.now() - beganMs).toBeLessThanOrEqual(250);
    idle.perSecond = 60;
    await group.run(3_000);
    const [part = 0] = perSecond(await group.run(5_000), 5);
    expect(part).toBeGreaterThan(18);
    expect(group.most).toBeLessThanOrEqual(100);
    await group.stop();
  });

  it("are even within seconds for two that ask for the next token when they have had the last, whoever came first", async () => {
    const group = await crowd(100, [0, 0, 5]);
    const loop = async (place: number): Promise<void> => {
      const caller = group.callers[place];
      while (caller && (await caller.throttle.acquireUpTo(1, { timeout: "5s" }).catch(() => undefined)))
        caller.granted += 1;
    };
    const loops = [loop(0)];
    await group.run(10_000);
    loops.push(loop(1));
    await group.run(8_000);
    const [first = 0, second = 0] = perSecond(await group.run(10_000), 10);
    expect(first).toBeGreaterThan(45);
    expect(second).toBeGreaterThan(45);
    expect(group.most).toBeLessThanOrEqual(100);
    await group.stop();
    await Promise.all(loops);
  });

  it("cost about a report a second, and none at once for a newcomer", async () => {
    const group = await crowd(1_000, Array(20).fill(100));
    const before = group.syncs;
    await group.run(10_000);
    expect((group.syncs - before) / 200).toBeLessThan(1.3);
    await group.stop();
  });

  it("are a max-min part for a process that claims to want a billion, and the others' stay theirs", async () => {
    const group = await crowd(100, [0, 20, 20, 20, 60]);
    const [liar] = group.callers;
    if (!liar) throw new Error("nobody joined");
    const claimFor = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 10) {
        liar.granted += liar.throttle.tryAcquireUpTo(1_000_000_000);
        await group.run(10);
      }
    };
    await claimFor(8_000);
    const before = group.callers.map(({ granted }) => granted);
    await claimFor(10_000);
    const [claimed = 0, ...granted] = group.callers.map((caller, place) => caller.granted - (before[place] ?? 0));
    expect(claimed / 10).toBeLessThanOrEqual(21);
    for (const tokens of granted) expect(tokens / 10).toBeGreaterThan(19);
    expect(group.most).toBeLessThanOrEqual(100);
    await group.stop();
  });
});

describe("beside processes that share evenly", () => {
  it("each of these has its even part, the others what is left, and nobody ever agrees", async () => {
    const group = await crowd(100, [60, 60, 60, 5], 2);
    const [a = 0, b = 0, busy = 0, light = 0] = perSecond(await group.run(10_000), 10);
    expect([a, b].map(Math.round)).toEqual([25, 25]);
    expect(busy).toBeGreaterThan(42);
    expect(light).toBeGreaterThan(4.8);
    expect(group.callers.some(({ throttle }) => throttle.status().agreed)).toBe(false);
    expect(group.most).toBeLessThanOrEqual(100);
    await group.stop();
  });

  it("they agree again when the last one that shares by demand has left", async () => {
    const group = await crowd(100, [60, 60, 60], 2);
    const last = group.callers.pop();
    await last?.throttle.stop();
    const rates = perSecond(await group.run(6_000), 6);
    expect(group.callers.map(({ throttle }) => throttle.status().agreed)).toEqual([true, true]);
    expect(sum(rates)).toBeGreaterThan(97);
    await group.stop();
  });
});

describe("a limit that changes", () => {
  it("counts at once where it is lowered, and for all a little later", async () => {
    const group = await crowd(100, [120, 5, 5]);
    for (const { throttle } of group.callers) throttle.update({ max: 40 });
    await group.run(3_000);
    group.perEpoch.clear();
    const [busy = 0, ...light] = perSecond(await group.run(8_000), 8);
    expect(group.most).toBeLessThanOrEqual(40);
    expect(busy).toBeGreaterThan(27);
    for (const rate of light) expect(rate).toBeGreaterThan(4.5);
    await group.stop();
  });

  it("is shared by demand on a ramp as well, in the same parts", async () => {
    const group = new Crowd(100);
    for (const rate of [120, 5]) {
      const caller = await group.join({ min: 50, rampUp: "1h", mode: "scheduled" });
      caller.perSecond = rate;
    }
    // In the epoch in which the second one joins, it may be granted what the first one did not use of `max`: more than
    // the level.
    expect(group.most).toBeLessThanOrEqual(100);
    await group.run(8_000);
    group.perEpoch.clear();
    const [busy = 0, light = 0] = perSecond(await group.run(10_000), 10);
    expect(busy).toBeGreaterThan(40);
    expect(light).toBeGreaterThan(4.5);
    expect(group.most).toBeLessThanOrEqual(51);
    await group.stop();
  });
});
