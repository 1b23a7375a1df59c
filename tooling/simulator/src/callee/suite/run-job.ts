import { idealOf } from "../ideal.ts";
import { judge, type Verdict } from "../judge.ts";
import { limiterNamed } from "../limiters.ts";
import { run } from "../run.ts";
import { scenarioNamed } from "../scenarios/index.ts";

/** One run: a scenario, an algorithm, a seed. */
export interface Job {
  readonly scenario: string;
  readonly algorithm: string;
  readonly seed: number;
}

export function runJob({ scenario: code, algorithm, seed }: Job): Verdict {
  const scenario = scenarioNamed(code);
  const limiter = limiterNamed(algorithm);
  if (scenario === undefined || limiter === undefined) throw new TypeError(`there is no ${code} or no ${algorithm}`);
  return judge(scenario, idealOf(scenario), run(scenario, { ...limiter, seed }));
}
