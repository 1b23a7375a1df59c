import { parseArgs } from "node:util";
import { PROFILES, type Profile } from "../plan/plan.ts";

/** What the command line asks for. */
export interface SoakOptions {
  readonly command: "soak" | "bugs" | "scale" | "help";
  readonly from: number;
  readonly seeds: number;
  /** One seed to replay. */
  readonly seed: number | undefined;
  /** Only these faults of its plan, by index. */
  readonly keep: readonly number[] | undefined;
  readonly profile: Profile;
  readonly trace: boolean;
  readonly json: boolean;
  readonly jobs: number;
  /** Processors of the large fleet. */
  readonly size: number;
  /** The change to put into core: a seeded bug, or another way to measure against. */
  readonly with: string | undefined;
  /** Only these seeded bugs. */
  readonly only: readonly string[] | undefined;
}

export const HELP = `Usage: npm run -s soak -- [options]
Runs the real core and the real ledger in a seeded world and checks the promise at every step.

  --seeds N      how many seeds (default 1000)
  --from N       the first seed (default 0)
  --seed N       replay one seed, and show its shortest failing schedule
  --keep I,J     with --seed: only these faults of its plan
  --trace        with --seed: print everything that happens
  --profile P    ${PROFILES.join(" | ")} (default atomic)
  --jobs N       worker processes (default 1)
  --with NAME    run with a seeded bug in core, or with waiting-for-agreement
  --bugs         run against broken variants of core: how many seeds until each is found
  --only A,B     with --bugs: only these
  --scale        join storm, rolling restart, loss of half; and how soon a join or a crash takes effect
  --size N       with --scale: processors (default 10000)
  --json         one JSON object on standard output and nothing else there
  --help
`;

/** @throws TypeError that names the option, the value and the remedy */
export function parseOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: "string" },
      from: { type: "string" },
      seed: { type: "string" },
      keep: { type: "string" },
      profile: { type: "string" },
      jobs: { type: "string" },
      only: { type: "string" },
      with: { type: "string" },
      size: { type: "string" },
      trace: { type: "boolean" },
      bugs: { type: "boolean" },
      scale: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const profile = values.profile ?? "atomic";
  if (!isProfile(profile)) throw new TypeError(`--profile is "${profile}"; give one of ${PROFILES.join(", ")}`);
  return {
    command: values.help ? "help" : values.bugs ? "bugs" : values.scale ? "scale" : "soak",
    from: wholeNumber("from", values.from, 0, 0),
    seeds: wholeNumber("seeds", values.seeds, 1_000, 1),
    seed: values.seed === undefined ? undefined : wholeNumber("seed", values.seed, 0, 0),
    keep: values.keep
      ?.split(",")
      .filter((index) => index !== "none")
      .map((index) => wholeNumber("keep", index, 0, 0)),
    profile,
    trace: values.trace ?? false,
    json: values.json ?? false,
    jobs: wholeNumber("jobs", values.jobs, 1, 1),
    with: values.with,
    size: wholeNumber("size", values.size, 10_000, 1),
    only: values.only?.split(","),
  };
}

function isProfile(value: string): value is Profile {
  return (PROFILES as readonly string[]).includes(value);
}

function wholeNumber(name: string, text: string | undefined, byDefault: number, least: number): number {
  if (text === undefined) return byDefault;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new TypeError(`--${name} is "${text}"; give a whole number >= ${least}`);
  return value;
}
