import { describe, expect, it } from "vitest";
import { WantEstimate, type WantHints } from "../../src/demand/want-estimate.ts";
import { createThrottle, MemoryStore } from "../../src/index.ts";
import { placeOnGrid } from "../../src/ledger/wants.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const HINTS: WantHints = {
  waiting: 0,
  starved: false,
  patient: true,
  refused: false,
  short: false,
  tight: true,
  most: 1e9,
};

/** What is told by a process whose requests come by chance, twelve seconds busy and twelve seconds nearly idle. */
function told(cost: number, patient: boolean, seed: number): number[] {
  const runtime = new VirtualRuntime({ seed });
  const estimate = new WantEstimate(1_000);
  const wants: number[] = [];
  let [dueMs, reportMs] = [0, 0];
  for (let ms = 0; ms < 48_000; ms += 20) {
    const perSecond = Math.floor(ms / 12_000) % 2 === 0 ? 20 : 2;
    let starved = false;
    for (; dueMs <= ms; dueMs += -Math.log(1 - runtime.random()) * (1_000 / perSecond)) {
      estimate.add(cost, ms);
      starved ||= runtime.random() < 0.3;
    }
    if (ms < reportMs) continue;
    wants.push(estimate.next(ms, { ...HINTS, starved, patient }, 1));
    reportMs += 250;
  }
  return wants;
}

describe("what is wanted for requests that cost more than a token", () => {
  it.each([true, false])("is as many requests as of one token each: patient %s", (patient) => {
    for (const seed of [1, 2, 3])
      for (const cost of [8, 64, 1_024]) {
        const ofOne = told(1, patient, seed);
        for (const [report, want] of told(cost, patient, seed).entries()) {
          const expected = (ofOne[report] as number) * cost;
          // One request is a step of the grid below sixteen. That of larger numbers is coarser, and a change by less
          // than a step or two is told later.
          const isNear = Math.abs(want - expected) <= cost || Math.abs(placeOnGrid(want) - placeOnGrid(expected)) < 4;
          expect(isNear, `${want} for ${expected}`).toBe(true);
        }
      }
  });

  it("is one request for one: it is no rise to four times as much", () => {
    const estimate = new WantEstimate(1_000);
    estimate.next(5_000, HINTS, 1);
    estimate.add(100, 5_010);
    expect(estimate.next(5_020, { ...HINTS, starved: true, waiting: 97 }, 1)).toBe(104);
    expect(estimate.next(5_400, { ...HINTS, starved: true, waiting: 97 }, 1)).toBe(104);
    // It has been served.
    expect(estimate.next(5_900, HINTS, 1)).toBe(0);
  });

  it("is what is still missing while a request collects what it costs", () => {
    const estimate = new WantEstimate(1_000);
    estimate.next(5_000, HINTS, 1);
    estimate.add(300, 5_010);
    expect(estimate.next(5_020, { ...HINTS, starved: true, waiting: 300 }, 1)).toBe(320);
    for (const [nowMs, waiting, most] of [
      [6_020, 200, 208],
      [7_020, 100, 104],
      [8_020, 12, 12],
    ] as const)
      expect(estimate.next(nowMs, { ...HINTS, starved: true, waiting }, 1)).toBeLessThanOrEqual(most);
  });
});

/** A busy member of 40 lanes and others that make calls by chance, in virtual time; all of the same costs. */
async function share(costs: () => number, perSecond: readonly number[], max: number, seed: number) {
  const runtime = new VirtualRuntime({ seed, startMs: 1_000_000_000 });
  const store = new MemoryStore({ runtime });
  const members = [Number.POSITIVE_INFINITY, ...perSecond];
  const throttles = members.map(() => createThrottle({ name: "g", max, shares: "demand", store, runtime }));
  const perEpoch = new Map<number, number>();
  const [fromMs, toMs] = [runtime.now() + 20_500, runtime.now() + 140_500];
  let granted = 0;
  for (const throttle of throttles)
    throttle.on("grant", ({ epoch, tokens }) => {
      perEpoch.set(epoch, (perEpoch.get(epoch) ?? 0) + tokens);
      if (runtime.now() >= fromMs) granted += tokens;
    });
  await Promise.all(throttles.map((throttle) => throttle.start()));
  const waits: number[] = [];
  for (const [place, rate] of members.entries()) {
    const call = (throttles[place] as (typeof throttles)[0]).wrap(async () => undefined, { cost: costs });
    const again = (): void => void call().then(again, () => undefined);
    if (place === 0) for (let lane = 0; lane < 40; lane++) again();
    else {
      const next = (): void => {
        const askedMs = runtime.now();
        call().then(
          () => askedMs >= fromMs && waits.push(runtime.now() - askedMs),
          () => undefined,
        );
        runtime.setTimer(next, -Math.log(1 - runtime.random()) * (1_000 / rate));
      };
      runtime.setTimer(next, -Math.log(1 - runtime.random()) * (1_000 / rate));
    }
  }
  for (; runtime.now() < toMs; await runtime.advance(500));
  waits.sort((a, b) => a - b);
  return {
    part: (granted * 1_000) / ((toMs - fromMs) * max),
    p99Ms: waits[Math.floor(waits.length * 0.99)] as number,
    fullest: Math.max(...perEpoch.values()) / max,
  };
}

describe("calls that cost a tenth of what there is, beside a busy member", () => {
  it.each([
    [100, 980],
    [1, 10],
  ])("leave it what they do not use, and wait for two epochs and a bit: of %i, of %i there are", async (cost, max) => {
    let sum = 0;
    for (const seed of [1, 2, 3]) {
      const { part, p99Ms, fullest } = await share(() => cost, [1.4, 0.4, 0.1, 0.1], max, seed);
      sum += part;
      expect(p99Ms, `seed ${seed}`).toBeLessThan(2_500);
      expect(fullest).toBeLessThanOrEqual(1);
    }
    expect(sum / 3).toBeGreaterThan(0.95);
  });

  it("of costs by chance are served alike", async () => {
    const chance = new VirtualRuntime({ seed: 17 });
    const costs = (): number => 20 + Math.floor(161 * chance.random());
    const { part, p99Ms, fullest } = await share(costs, [1.4, 0.4, 0.1, 0.1], 980, 1);
    expect(part).toBeGreaterThan(0.95);
    expect(p99Ms).toBeLessThan(2_500);
    expect(fullest).toBeLessThanOrEqual(1);
  });
});

it("one call of a tenth takes a tenth from the busy member, and no more, until it has gone out", async () => {
  for (const seed of [1, 2, 3, 4]) {
    const runtime = new VirtualRuntime({ seed, startMs: 1_000_000_000 });
    const store = new MemoryStore({ runtime });
    const throttles = [0, 1, 2, 3, 4].map(() =>
      createThrottle({ name: "g", max: 980, shares: "demand", store, runtime }),
    );
    const [busy, light] = throttles as [(typeof throttles)[0], (typeof throttles)[0]];
    await Promise.all(throttles.map((throttle) => throttle.start()));
    const call = busy.wrap(async () => undefined, { cost: 100 });
    const again = (): void => void call().then(again, () => undefined);
    for (let lane = 0; lane < 40; lane++) again();
    await runtime.advance(15_000 + seed * 317);
    const askedMs = runtime.now();
    let outMs = Number.POSITIVE_INFINITY;
    void light.wrap(async () => (outMs = runtime.now()), { cost: 100 })();
    for (; runtime.now() < askedMs + 4_000; await runtime.advance(20)) {
      const { want = 0, held } = light.status();
      expect(want).toBeLessThanOrEqual(104);
      expect(held).toBeLessThanOrEqual(104);
      expect(busy.status().held).toBeGreaterThanOrEqual(980 - 104 - 3 * 3 - 3);
    }
    expect(outMs - askedMs).toBeLessThan(2_000);
    expect(light.status().held).toBeLessThanOrEqual(3);
    await Promise.all(throttles.map((throttle) => throttle.stop()));
  }
});
