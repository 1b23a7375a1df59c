import { parseArgs } from "node:util";
import { PROFILES, type Profile, SHARES, type Shares } from "../plan/plan.ts";

/** What the command line asks for. */
export interface SoakOptions {
  readonly command: "soak" | "bugs" | "scale" | "distributions" | "help";
  readonly from: number;
  readonly seeds: number;
  /** One seed to replay. */
  readonly seed: number | undefined;
  /** Only these faults of its plan, by index. */
  readonly keep: readonly number[] | undefined;
  readonly profile: Profile;
  readonly shares: Shares;
  readonly trace: boolean;
  readonly json: boolean;
  readonly jobs: number;
  /** Members of the large fleet. */
  readonly size: number;
  /** The change to put into core: a seeded bug, or another way to measure against. */
  readonly with: string | undefined;
  /** Only these seeded bugs. */
  readonly only: readonly string[] | undefined;
}

export const HELP = `Usage: npm run -s soak -- [options]
Runs the real core and the real ledger in a seeded world, in virtual time, and checks the promise at every step.
Exit code: 0 when nothing was violated, 1 when something was, 2 for options that make no sense.

Many seeds, which is what it does without other options:
  --seeds N      how many (default 1000)
  --from N       the first (default 0)
  --profile P    what happens to the group: ${PROFILES.join(" | ")} (default atomic)
  --shares S     how the limit is divided: ${SHARES.join(" | ")} (default even)
  --jobs N       worker processes (default 1)
  --json         {"seeds","violations","worstOvershoot","medianUtilisation","failingSeeds"} on standard output and nothing else there
  A seed that fails is shown with the command that replays it and the shortest schedule in which it still fails.

One seed:
  --seed N       replay it; when it fails, show its shortest schedule
  --keep I,J     only these faults of its plan
  --trace        print everything that happens

Does it find anything?
  --with NAME    run with a seeded bug in core, or with waiting-for-agreement (no bug: what the share ledger is measured against)
  --bugs         run against one seeded bug after the other, each until a seed fails or all have passed
  --only A,B     with --bugs: only these

Large fleets:
  --scale        join storm, rolling restart, loss of half
  --size N       members (default 10000)
How soon a join or a crash takes effect:
  --distributions  over --seeds runs

  --help

Examples:
  npm run -s soak -- --seeds 10000 --json
  npm run -s soak -- --seed 1057 --trace
  npm run -s soak -- --with raise-in-same-epoch
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
      shares: { type: "string" },
      jobs: { type: "string" },
      only: { type: "string" },
      with: { type: "string" },
      size: { type: "string" },
      trace: { type: "boolean" },
      bugs: { type: "boolean" },
      scale: { type: "boolean" },
      json: { type: "boolean" },
      distributions: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const profile = values.profile ?? "atomic";
  if (!isProfile(profile)) throw new TypeError(`--profile is "${profile}"; give one of ${PROFILES.join(", ")}`);
  const shares = values.shares ?? "even";
  if (!isShares(shares)) throw new TypeError(`--shares is "${shares}"; give one of ${SHARES.join(", ")}`);
  return {
    command: (["help", "bugs", "scale", "distributions"] as const).find((name) => values[name]) ?? "soak",
    from: wholeNumber("from", values.from, 0, 0),
    seeds: wholeNumber("seeds", values.seeds, 1_000, 1),
    seed: values.seed === undefined ? undefined : wholeNumber("seed", values.seed, 0, 0),
    keep: values.keep
      ?.split(",")
      .filter((index) => index !== "none")
      .map((index) => wholeNumber("keep", index, 0, 0)),
    profile,
    shares,
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

function isShares(value: string): value is Shares {
  return (SHARES as readonly string[]).includes(value);
}

function wholeNumber(name: string, text: string | undefined, byDefault: number, least: number): number {
  if (text === undefined) return byDefault;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new TypeError(`--${name} is "${text}"; give a whole number >= ${least}`);
  return value;
}
