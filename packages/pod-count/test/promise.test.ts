import { describe, expect, it } from "vitest";
import { Fleet } from "./support/fleet.ts";

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);

/** What may happen to a pod in a second, and how likely. */
const EVENTS: readonly (readonly [chance: number, happen: (fleet: Fleet, name: string) => Promise<void> | void])[] = [
  [0.02, (fleet, name) => fleet.leave(name).then(() => fleet.unlist(name))],
  [0.02, (fleet, name) => fleet.crash(name)],
  [0.01, (fleet, name) => fleet.restart(name)],
  // Delisted while it runs, as a pod that is not ready or was deleted by force; and listed again.
  [0.03, (fleet, name) => fleet.unlist(name)],
  [0.04, (fleet, name) => fleet.list(name)],
  [0.03, (fleet, name) => fleet.blind(name, true)],
  [0.15, (fleet, name) => fleet.blind(name, false)],
];

/** Lets all that happen for a minute and a half, while pods come. */
async function abuse(fleet: Fleet): Promise<void> {
  const { runtime } = fleet;
  for (let second = 0; second < 90; second++) {
    await fleet.pass(1_000);
    if (fleet.pods.size < 8 && runtime.random() < 0.15) {
      const name = `pod-${second}`;
      // Some are listed before they run, some after, some never.
      if (runtime.random() < 0.8) fleet.list(name);
      fleet.start(name);
    }
    for (const name of [...fleet.pods.keys()]) {
      let draw = runtime.random();
      for (const [chance, happen] of EVENTS) {
        if (draw >= 0 && draw < chance) await happen(fleet, name);
        draw -= chance;
      }
    }
    // Somebody cleans up after the crashed.
    const gone = fleet.listed.find((name) => !fleet.pods.has(name));
    if (gone !== undefined && runtime.random() < 0.1) fleet.unlist(gone);
  }
}

describe("while nobody sees the list later than the source says", () => {
  it.each([
    { max: 100, delayMs: 1_000 },
    { max: 100, delayMs: 4_000 },
    // With so few tokens the remainder is most of them.
    { max: 7, delayMs: 1_000 },
  ])("no interval has more than $max, wherever it begins, whatever the pods do ($delayMs ms late)", async (options) => {
    const worst: Record<number, number> = {};
    let granted = 0;
    for (const seed of SEEDS) {
      const fleet = new Fleet({ seed, ...options });
      await abuse(fleet);
      granted += fleet.granted(0);
      const most = fleet.mostInAnyInterval();
      if (most > options.max) worst[seed] = most;
    }
    expect(worst).toEqual({});
    // A promise that nothing is granted would be easy to keep.
    expect(granted / (options.max * 90 * SEEDS.length)).toBeGreaterThan(0.1);
  });

  it.each([
    { max: 100, pods: 7 },
    { max: 3, pods: 5 },
  ])("$pods pods that are left alone share exactly $max", async ({ max, pods }) => {
    const fleet = new Fleet({ seed: 7, max });
    for (let index = 0; index < pods; index++) {
      fleet.list(`pod-${index}`);
      fleet.start(`pod-${index}`);
    }
    await fleet.pass(20_000);
    const fromMs = fleet.runtime.now();
    await fleet.pass(20_000);
    expect(fleet.granted(fromMs)).toBe(20 * max);
    expect(fleet.mostInAnyInterval(fromMs)).toBe(max);
  });

  it("the share of a pod that left comes back to the others", async () => {
    const fleet = new Fleet({ seed: 7, max: 100 });
    for (const name of ["a", "b", "c"]) {
      fleet.list(name);
      fleet.start(name);
    }
    await fleet.pass(20_000);
    await fleet.leave("b");
    fleet.unlist("b");
    const leftMs = fleet.runtime.now();
    await fleet.pass(4_000);
    expect(fleet.granted(leftMs)).toBe(4 * (34 + 33));
    await fleet.pass(20_000);
    const fromMs = fleet.runtime.now();
    await fleet.pass(10_000);
    expect(fleet.granted(fromMs)).toBe(1_000);
    expect(fleet.mostInAnyInterval()).toBe(100);
  });
});
