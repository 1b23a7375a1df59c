import { Random } from "../../random.ts";
import { Scenario } from "../scenario.ts";
import { quantile } from "../soak/summary.ts";
import type { SimProcess } from "../world/sim-process.ts";

/** Milliseconds, over many runs. */
export interface Distribution {
  readonly runs: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
}

/** How soon a change has its effect, with the defaults of `createThrottle` and no other trouble. */
export interface Distributions {
  readonly joinToFirstToken: Distribution;
  readonly joinToFullShare: Distribution;
  /** From the crash of a member until the others are granted the whole pool in an epoch. */
  readonly crashToReclaimedShare: Distribution;
}

const MAX = 1_000;

/** Fleets of 2 to 20; in each somebody joins at a random instant, and later somebody crashes at another. */
export async function distributions(runs: number): Promise<Distributions> {
  const firstToken: number[] = [];
  const fullShare: number[] = [];
  const reclaimed: number[] = [];
  for (let seed = 0; seed < runs; seed++) {
    const random = new Random(seed, "distributions");
    const scenario = new Scenario({ max: MAX, latencyMs: random.pick([1, 5, 20]) }, { seed });
    const size = random.integer(2, 20);
    for (let index = 0; index < size; index++) scenario.join(`p${index}`);
    await scenario.pass(8_000 + random.between(0, 2_000));
    const joinedMs = scenario.nowMs;
    const newcomer = scenario.join("newcomer");
    firstToken.push((await grantOf(scenario, newcomer, 1)) - joinedMs);
    fullShare.push((await grantOf(scenario, newcomer, Math.floor(MAX / (size + 1)))) - joinedMs);
    await scenario.pass(3_000 + random.between(0, 2_000));
    const crashedMs = scenario.nowMs;
    scenario.happen({ kind: "crash", member: "p0", restartAfterMs: null });
    reclaimed.push((await fullPool(scenario)) - crashedMs);
    const [violation] = scenario.violations;
    if (violation) throw new Error(`run ${seed}: ${violation.rule}: ${violation.detail}`);
  }
  return {
    joinToFirstToken: distributionOf(firstToken),
    joinToFullShare: distributionOf(fullShare),
    crashToReclaimedShare: distributionOf(reclaimed),
  };
}

/** When a member has been granted so many tokens in one epoch, to 10 ms. */
async function grantOf(scenario: Scenario, process: SimProcess, tokens: number): Promise<number> {
  return until(scenario, () => scenario.granted(scenario.epoch, process) >= tokens);
}

/** When the living have been granted all tokens of an epoch that began after now, to 10 ms. */
async function fullPool(scenario: Scenario): Promise<number> {
  const now = scenario.epoch;
  return until(scenario, () => scenario.epoch > now && scenario.granted(scenario.epoch) === MAX);
}

async function until(scenario: Scenario, condition: () => boolean): Promise<number> {
  const giveUpMs = scenario.nowMs + 60_000;
  while (!condition()) {
    if (scenario.nowMs > giveUpMs) throw new Error("not within a minute");
    await scenario.pass(10);
  }
  return scenario.nowMs;
}

function distributionOf(values: readonly number[]): Distribution {
  const rounded = (q: number): number => Math.round(quantile(values, q));
  return {
    runs: values.length,
    p50: rounded(0.5),
    p90: rounded(0.9),
    p99: rounded(0.99),
    most: Math.round(Math.max(...values)),
  };
}
