import { parseArgs } from "node:util";
import { PROFILES, type Profile, STORES, type StoreKind } from "./plan.ts";

/** What the command line asks for. */
export interface SearchOptions {
  readonly command: "search" | "bugs" | "help";
  readonly from: number;
  readonly seeds: number;
  /** One seed to replay. */
  readonly seed: number | undefined;
  /** Only these faults of its plan, by index. */
  readonly keep: readonly number[] | undefined;
  readonly profile: Profile;
  readonly store: StoreKind;
  /** The seeded bug to put in, by name. */
  readonly with: string | undefined;
  readonly trace: boolean;
  readonly jobs: number;
  readonly json: boolean;
}

export const HELP = `Usage: npm run -s semaphore -- search [options]
Runs fleets of real semaphores on the real ledger in seeded worlds, in virtual time: crashes, restarts, pauses, cuts,
outages, losses of data, a max that goes up and down, drains, joins, jumps of the store's clock, messages that are lost,
late or come twice, clocks that are off. Counts the calls in flight from outside, whenever one begins.
Exit code: 0 when no more than max were in flight but in a named state, 1 when more were, 2 for options that make no
sense.

Many seeds, which is what it does without other options:
  --seeds N      how many (default 1000)
  --from N       the first (default 0)
  --profile P    ignored: calls go on although their signal has fired, and processes are paused, too; checked are the
                 calls whose signal has not fired. obeyed: calls end within 2 s of their signal; checked are all calls.
                 failover: as ignored, and the store loses its newest writes now and then, which is outside of the
                 promise: calls above max are counted as state n3 (default ignored)
  --store S      what the store can do: ${STORES.join(" | ")} (default V1)
  --jobs N       worker processes (default 1)
  --json         {"profile","store","seeds","begun","above","failingSeeds","states"} on standard output and nothing else
                 there; states: calls that began while more than max were in flight, by named state
  A seed that fails is shown with the command that replays it and the shortest schedule in which it still fails.

One seed:
  --seed N       replay it; when it fails, show its shortest schedule
  --keep I,J     only these faults of its plan
  --trace        print everything that happens

Does it find anything?
  --with NAME    run with a seeded bug
  --bugs         run against one seeded bug after the other, each until a seed fails or all have passed

  --help

Examples:
  npm run -s semaphore -- search --seeds 10000 --profile obeyed --jobs 2 --json
  npm run -s semaphore -- search --seed 17 --trace
`;

/** @throws TypeError that names the option, the value and the remedy */
export function parseOptions(args: readonly string[]): SearchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: "string", default: "1000" },
      from: { type: "string", default: "0" },
      seed: { type: "string" },
      keep: { type: "string" },
      profile: { type: "string", default: "ignored" },
      store: { type: "string", default: "V1" },
      with: { type: "string" },
      jobs: { type: "string", default: "1" },
      trace: { type: "boolean", default: false },
      bugs: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  return {
    command: values.help ? "help" : values.bugs ? "bugs" : "search",
    from: wholeNumber("from", values.from, 0),
    seeds: wholeNumber("seeds", values.seeds, 1),
    seed: values.seed === undefined ? undefined : wholeNumber("seed", values.seed, 0),
    keep: values.keep
      ?.split(",")
      .filter((index) => index !== "none")
      .map((index) => wholeNumber("keep", index, 0)),
    profile: chosen("profile", values.profile, PROFILES),
    store: chosen("store", values.store, STORES),
    with: values.with,
    jobs: wholeNumber("jobs", values.jobs, 1),
    trace: values.trace,
    json: values.json,
  };
}

function chosen<Name extends string>(option: string, value: string, among: readonly Name[]): Name {
  const found = among.find((name) => name === value);
  if (found !== undefined) return found;
  throw new TypeError(`--${option} is "${value}"; give one of ${among.join(", ")}`);
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new TypeError(`--${name} is "${text}"; give a whole number >= ${least}`);
}
