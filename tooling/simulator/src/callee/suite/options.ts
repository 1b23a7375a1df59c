import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { LIMITER_FORMS, limiterNamed, suiteLimiters } from "../limiters.ts";
import { scenarioCode, scenarioNamed, scenarios } from "../scenarios/index.ts";

/** What the command line asks for. */
export interface SuiteOptions {
  readonly help: boolean;
  /** By number: S1. */
  readonly scenarios: readonly string[];
  readonly algorithms: readonly string[];
  readonly seeds: number;
  readonly jobs: number;
  readonly json: boolean;
}

export const HELP = `Usage: npm run -s simulate -- --suite [options]
Runs the real limiters in the world of the callee, in virtual time: each scenario with each algorithm and each seed; says how near to the ideal they come.
Exit code: 0 when everything ran, whatever came out; 2 for options that make no sense.

  --suite          every scenario with every algorithm
  --scenario A,B   only these, by number or name
  --algorithm A,B  only these: ${LIMITER_FORMS}
  --seeds N        runs of each (default 10)
  --jobs N         how many at a time (default: one for each processor)
  --json           {"results":[{"scenario","algorithm","seeds","goodput","p99","settleSeconds","jain",...}]} on standard output and nothing else there
  --help

goodput: successes as a part of what an ideal limiter would have had; p99: over the one without load; settles: after the worst change, the time until three seconds go by
with 95 % of the ideal. All are means over the seeds.

Scenarios:
${scenarios.map((scenario) => `  ${scenario.name.padEnd(16)} ${scenario.title}`).join("\n")}

Examples:
  npm run -s simulate -- --suite --json
  npm run -s simulate -- --scenario S3,S5 --algorithm vegas,automatic --seeds 3
`;

/** @throws TypeError that names the option, the value and the remedy */
export function parseOptions(args: readonly string[]): SuiteOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      suite: { type: "boolean" },
      scenario: { type: "string" },
      algorithm: { type: "string" },
      seeds: { type: "string" },
      jobs: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (!values.help && !values.suite && values.scenario === undefined && values.algorithm === undefined)
    throw new TypeError("nothing to do: give --suite, --scenario or --algorithm");
  return {
    help: values.help ?? false,
    scenarios: values.scenario?.split(",").map(scenarioOf) ?? scenarios.map(scenarioCode),
    algorithms: values.algorithm?.split(",").map(algorithmOf) ?? suiteLimiters,
    seeds: wholeNumber("seeds", values.seeds, 10),
    jobs: wholeNumber("jobs", values.jobs, availableParallelism()),
    json: values.json ?? false,
  };
}

function scenarioOf(name: string): string {
  const scenario = scenarioNamed(name);
  if (scenario !== undefined) return scenarioCode(scenario);
  throw new TypeError(`--scenario has "${name}"; give some of ${scenarios.map((one) => one.name).join(", ")}`);
}

function algorithmOf(name: string): string {
  if (limiterNamed(name) !== undefined) return name;
  throw new TypeError(`--algorithm has "${name}"; give some of ${LIMITER_FORMS}`);
}

function wholeNumber(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new TypeError(`--${name} is "${text}"; give a whole number >= 1`);
  return value;
}
