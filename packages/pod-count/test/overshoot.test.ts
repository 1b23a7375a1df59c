import { describe, expect, it } from "vitest";
import { Fleet } from "./support/fleet.ts";

const MAX = 840;

/** Pods that have counted each other for long. */
async function settledFleet(size: number, options: { readonly settleMs?: number } = {}): Promise<Fleet> {
  const fleet = new Fleet({ seed: size, max: MAX, delayMs: 4_000, ...options });
  for (const name of names("old", size)) {
    fleet.list(name);
    fleet.start(name, { delayMs: 0 });
  }
  await fleet.pass(100_000);
  fleet.grants.length = 0;
  return fleet;
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

const startNew = (fleet: Fleet, count: number): void => {
  for (const name of names("new", count)) {
    fleet.list(name);
    fleet.start(name, { delayMs: 0 });
  }
};

describe("the worst that the bound allows", () => {
  it("is seen by those who hear of a newcomer last, and then of nothing more: they stop before it begins", async () => {
    const fleet = await settledFleet(3);
    for (const pod of fleet.pods.values()) pod.delayMs = 4_000;
    startNew(fleet, 1);
    // Their last look is the last one that cannot show it yet.
    await fleet.pass(4_000 - 250);
    for (const name of names("old", 3)) fleet.blind(name, true);
    await fleet.pass(30_000);
    expect(fleet.mostInAnyInterval()).toBe(MAX);
    // In the end it is the only one that grants anything.
    const fromMs = fleet.runtime.now();
    await fleet.pass(5_000);
    expect(fleet.granted(fromMs)).toBe(5 * (MAX / 4));
  });

  it("is seen by one that is delisted while it runs, and hears it last: it stops before the others take its share", async () => {
    const fleet = await settledFleet(3);
    const [late, ...others] = names("old", 3);
    for (const pod of fleet.pods.values()) pod.delayMs = pod.name === late ? 4_000 : 0;
    await fleet.pass(5_000);
    fleet.unlist(late as string);
    await fleet.pass(4_000 - 250);
    fleet.blind(late as string, true);
    await fleet.pass(30_000);
    expect(fleet.mostInAnyInterval()).toBe(MAX);
    const fromMs = fleet.runtime.now();
    await fleet.pass(5_000);
    expect(fleet.granted(fromMs)).toBe(5 * MAX);
    expect(others).toHaveLength(2);
  });
});

/** What the README states: each observer i takes max / n_i, whatever the others count. */
const stated = (...counts: readonly number[]): number =>
  counts.reduce((sum, memberCount) => sum + MAX / memberCount, 0);

describe("outside of the bound, the sum is that of max / (what each counts)", () => {
  it.each([
    { old: 4, joined: 1, factor: 1 + 1 / 5 },
    { old: 4, joined: 4, factor: 1 + 4 / 8 },
    { old: 1, joined: 6, factor: 1 + 6 / 7 },
  ])("$joined join $old that go on seeing themselves alone: $factor times max", async ({ old, joined, factor }) => {
    const fleet = await settledFleet(old);
    // An answer from before, for longer than the source says it can be.
    for (const pod of fleet.pods.values()) pod.delayMs = 60_000;
    startNew(fleet, joined);
    await fleet.pass(30_000);
    const expected = stated(...Array(old).fill(old), ...Array(joined).fill(old + joined));
    expect(fleet.mostInAnyInterval()).toBe(expected);
    expect(expected / MAX).toBeCloseTo(factor, 10);
    for (const pod of fleet.pods.values()) pod.delayMs = 0;
    await fleet.pass(20_000);
    const fromMs = fleet.runtime.now();
    await fleet.pass(5_000);
    expect(fleet.mostInAnyInterval(fromMs)).toBe(MAX);
  });

  it("without waiting (settle 0) a newcomer adds its share for as long as the others do not see it, and no longer", async () => {
    const fleet = await settledFleet(4, { settleMs: 0 });
    for (const pod of fleet.pods.values()) pod.delayMs = 4_000;
    const fromMs = fleet.runtime.now();
    startNew(fleet, 1);
    await fleet.pass(20_000);
    expect(fleet.mostInAnyInterval(fromMs)).toBe(stated(4, 4, 4, 4, 5));
    expect(fleet.mostInAnyInterval(fromMs + 4_000 + 500 + 400 + 1_000)).toBe(MAX);
  });

  it("without waiting (settle 0) one that is delisted while it runs adds its share until it knows and its validity is over", async () => {
    const fleet = await settledFleet(4, { settleMs: 0 });
    const [delisted] = names("old", 4);
    const fromMs = fleet.runtime.now();
    fleet.unlist(delisted as string);
    await fleet.pass(20_000);
    expect(fleet.mostInAnyInterval(fromMs)).toBe(stated(3, 3, 3, 4));
    // Fresh for 1.5 s, valid for 1.5 s more, and the epoch under way.
    expect(fleet.mostInAnyInterval(fromMs + 1_500 + 1_500 + 1_000 + 1_000)).toBe(MAX);
  });
});
