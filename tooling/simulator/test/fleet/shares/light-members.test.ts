import { expect, it } from "vitest";
import { spread } from "../../../src/fleet/shares/arrivals.ts";
import { DemandFleet, SHARINGS, type Sharing } from "../../../src/fleet/shares/fleet.ts";
import { quantile } from "../../../src/fleet/soak/summary.ts";
import { Random } from "../../../src/random.ts";

/** The fleet of `bench fleet`: requests a second, by chance, 120 % of what the callee takes; 2 % are headroom. */
const RATES = [96, 6, 6, 6, 6];
const MAX = 98;
const SECONDS = 60;
const FROM_MS = 10_000;

/** What a fleet reached of its `max`, and how long the light members' requests waited. */
async function play(sharing: Sharing, seed: number) {
  const untilMs = FROM_MS + SECONDS * 1_000;
  const arrivals = RATES.map((perSecond, member) =>
    spread(() => perSecond, "poisson", untilMs, new Random(seed, `requests of ${member}`)),
  );
  const world = { sharing, max: MAX, patienceMs: 2_000, arrivals, fromMs: FROM_MS, untilMs, seed };
  const { granted, waits, most } = await new DemandFleet(world).run();
  const light = waits.slice(1).flat();
  return {
    reached: granted.reduce((sum, tokens) => sum + tokens, 0) / (MAX * SECONDS),
    medianMs: quantile(light, 0.5),
    p99Ms: quantile(light, 0.99),
    /** The part of the light members' requests that were served. */
    served: light.length / arrivals.slice(1).flatMap((times) => times.filter((atMs) => atMs >= FROM_MS)).length,
    most,
  };
}

function sharing(name: string): Sharing {
  return SHARINGS.find((one) => one.name === name) as Sharing;
}

it.each([1, 2, 3])(
  "the limit is used beside light members, and these wait for an epoch or two at most: seed %i",
  async (seed) => {
    const { reached, medianMs, p99Ms, served, most } = await play(sharing("demand"), seed);
    expect(most).toBeLessThanOrEqual(MAX);
    expect(reached).toBeGreaterThanOrEqual(0.98);
    // The busy member uses every token as soon as an epoch begins. What a light one needs beyond its share comes later.
    expect(medianMs).toBeLessThanOrEqual(400);
    expect(p99Ms).toBeLessThanOrEqual(1_500);
    expect(served).toBeGreaterThan(0.98);
  },
);

it("with even shares the busy member leaves more than half of the limit unused", async () => {
  expect((await play(sharing("even"), 1)).reached).toBeLessThan(0.5);
});
