import { readFileSync } from "node:fs";
import { basename } from "node:path";
import {
  idealOf,
  judge,
  LIMITER_FORMS,
  type Limiter,
  limiterNamed,
  readScenario,
  run,
  type Scenario,
  type Series,
  scenarioNamed,
  scenarios,
  seriesOf,
  type Verdict,
} from "@dt-tooling/simulator/callee";
import { UsageError } from "../exit-code.ts";

/** What came out with one algorithm. */
export interface Simulated {
  readonly algorithm: string;
  readonly verdict: Verdict;
  readonly series: Series;
}

/** Runs the scenario with each algorithm, on the same calls. */
export function simulate(scenario: Scenario, algorithms: readonly Limiter[], seed: number): Simulated[] {
  const ideal = idealOf(scenario);
  return algorithms.map((limiter) => {
    const book = run(scenario, { ...limiter, seed });
    return { algorithm: limiter.name, verdict: judge(scenario, ideal, book), series: seriesOf(ideal, book) };
  });
}

/** @throws UsageError that names what is not known */
export function limitersNamed(names: string): Limiter[] {
  return names.split(",").map((name) => {
    const limiter = limiterNamed(name.trim());
    if (limiter !== undefined) return limiter;
    throw new UsageError(`--algorithm has "${name}"; known are ${LIMITER_FORMS}`);
  });
}

/**
 * A scenario by its name or number, or from a JSON file; ended after `seconds`, if given.
 * @throws UsageError
 */
export function openScenario(name: string, seconds: number | undefined): Scenario {
  const scenario = name.endsWith(".json") ? readFile(name) : scenarioNamed(name);
  if (scenario === undefined)
    throw new UsageError(
      `--scenario is "${name}"; give ${scenarios.map((one) => one.name).join(", ")}, or a file that ends in .json`,
    );
  return seconds === undefined ? scenario : shortened(scenario, seconds);
}

function readFile(file: string): Scenario {
  try {
    return readScenario(JSON.parse(readFileSync(file, "utf8")), basename(file, ".json"));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${file} is no JSON: ${error.message}`, { cause: error });
    if (error instanceof TypeError) throw new UsageError(`${file}: ${error.message}`, { cause: error });
    if (!isErrno(error)) throw error;
    throw new UsageError(`--scenario ${file} cannot be read: ${error.message}`, { cause: error });
  }
}

const isErrno = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && "code" in error;

function shortened(scenario: Scenario, seconds: number): Scenario {
  const { fromSeconds, toSeconds } = scenario.measured;
  if (seconds <= fromSeconds)
    throw new UsageError(
      `--seconds ${seconds} ends before ${fromSeconds} s, when ${scenario.name} begins to be measured`,
    );
  // What lasted to the end does so again.
  const to = toSeconds === scenario.seconds ? seconds : Math.min(toSeconds, seconds);
  return { ...scenario, seconds, measured: { fromSeconds, toSeconds: to } };
}
