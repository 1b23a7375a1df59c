import { parseArgs } from "node:util";
import { demandNamed, sharingNamed } from "./cell.ts";
import { DEMANDS } from "./demands.ts";
import { SHARINGS } from "./fleet.ts";

/** What the command line asks for. */
export interface SharesOptions {
  readonly command: "run" | "help";
  readonly members: readonly number[];
  /** Names of demands and of ways to share. */
  readonly demands: readonly string[];
  readonly sharings: readonly string[];
  readonly seconds: number;
  readonly seed: number;
  readonly jobs: number;
  readonly json: boolean;
}

const MOST_MEMBERS = 10_000;
const NAMES = DEMANDS.map(({ name }) => name);

export const HELP = `Usage: npm run -s shares -- [options]
Fleets of real throttles on the real ledger, in virtual time: what they are granted, of what an oracle would grant them
that knows every request and divides the limit at once, max-min fairly. The whole table takes about half an hour; start
with --members 100.
Exit code: 0 when no epoch of any fleet was above its limit, 1 when one was, 2 for options that make no sense.

  --members A,B  sizes of fleets (default 2,10,100,1000)
  --demand A,B   what callers want (default all):${indented(NAMES)}
  --shares A,B   how the limit is divided: ${SHARINGS.map(({ name }) => name).join(", ")} (default all);
                 demand-250 syncs every 250 ms instead of every second
  --seconds N    how long each is measured, after 10 s of warm-up (default 60)
  --seed N       of the requests and the network (default 1)
  --jobs N       worker processes (default 1)
  --json         {"rows":[{"members","demand","shares","seconds","seed","reached","jain","syncsPerMemberSecond",
                 "shareChangesPerMemberMinute","lightMedianWaitMs","lightP99WaitMs","fullestEpoch"}]} on standard
                 output and nothing else there
  --help

Examples:
  npm run -s shares -- --members 100 --demand zipf-150
  npm run -s shares -- --members 2,10,100 --shares even,demand --jobs 2 --json
`;

/** @throws TypeError that names the option, the value and the remedy */
export function parseOptions(args: readonly string[]): SharesOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      members: { type: "string", default: "2,10,100,1000" },
      demand: { type: "string", default: NAMES.join(",") },
      shares: { type: "string", default: SHARINGS.map(({ name }) => name).join(",") },
      seconds: { type: "string", default: "60" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  return {
    command: values.help ? "help" : "run",
    members: values.members.split(",").map((size) => wholeNumber("members", size, 1, MOST_MEMBERS)),
    demands: values.demand.split(",").map((name) => demandNamed(name).name),
    sharings: values.shares.split(",").map((name) => sharingNamed(name).name),
    seconds: wholeNumber("seconds", values.seconds, 1, 86_400),
    seed: wholeNumber("seed", values.seed, 0, 2 ** 32 - 1),
    jobs: wholeNumber("jobs", values.jobs, 1, 1_024),
    json: values.json,
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(value) || value < least || value > most)
    throw new TypeError(`--${name} is "${text}"; give a whole number from ${least} to ${most}`);
  return value;
}

/** Names in lines that fit a terminal. */
function indented(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + name.length < 95) lines[lines.length - 1] = `${line}, ${name}`;
    else lines.push(name);
  }
  return `\n                 ${lines.join(",\n                 ")}`;
}
