import { parseArgs } from "node:util";
import { SYSTEM_NAMES } from "./cell.ts";
import { LOADS } from "./loads.ts";
import type { Setting } from "./network.ts";
import { NEAR, PARTS, type Part } from "./parts.ts";

/** What the command line asks for. */
export interface FiguresOptions {
  readonly command: "run" | "help";
  readonly parts: readonly Part[];
  /** Names of systems. */
  readonly systems: readonly string[];
  readonly seeds: readonly number[];
  readonly jobs: number;
  readonly json: boolean;
}

const GROUPS = [...new Set(LOADS.map(({ group }) => group))];
const MOST_MS = 10_000;

export const HELP = `Usage: npm run -s semaphore -- [options]
Fleets of real semaphores on one store, in virtual time: slots in use of those wanted, requests per slot, waits, counted
by the calls that begin and end. Beside them stand an oracle that knows everything at once, the way of redis-semaphore
(poll), a queue at the store that pushes each slot (queue), and in each row the figures of the prototype on the same
load. The whole table takes a quarter of an hour. Calls that cost several slots are only shown: the prototype never
serves them.
V0: a store without a queue of slots. V1: a store with one. V1 no push: the same without hints.
Exit code: 0 when each row holds (use at most 1 point below the prototype's, requests and waits at most 1.25 times its
own) and no fleet had more than max in flight, 1 when not, 2 for options that make no sense.

  --load A,B    groups of loads: ${GROUPS.join(", ")} (default all)
  --system A,B  ${SYSTEM_NAMES.join(", ")} (default all)
  --seeds A,B   of the callers and the network (default 1,2,3)
  --rtt MS      a round trip (default 1; for handover 10 as well)
  --lost P      the part of the hints that is lost (default 0; for handover 0.005 and 0.05 as well)
  --turn MS     the turn of the semaphores (default 100; for handover with a round trip of 10 ms 500 as well)
  --jobs N      worker processes (default 1)
  --json        {"rows","compared"} on standard output and nothing else there
  --help

  search        another command: npm run -s semaphore -- search --help

Examples:
  npm run -s semaphore -- --load handover --system V1,queue --seeds 1
  npm run -s semaphore -- --load handover --rtt 10 --turn 500
  npm run -s semaphore -- --json --jobs 2
`;

/** @throws TypeError that names the option, the value and the remedy */
export function parseOptions(args: readonly string[]): FiguresOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      load: { type: "string" },
      system: { type: "string" },
      seeds: { type: "string", default: "1,2,3" },
      rtt: { type: "string" },
      lost: { type: "string" },
      turn: { type: "string" },
      jobs: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const groups = values.load === undefined ? GROUPS : chosen("load", values.load, GROUPS);
  const setting = settingOf(values);
  const parts = setting
    ? [{ groups, setting }]
    : PARTS.map((part) => ({ ...part, groups: part.groups.filter((group) => groups.includes(group)) }));
  return {
    command: values.help ? "help" : "run",
    parts: parts.filter((part) => part.groups.length > 0),
    systems: values.system === undefined ? SYSTEM_NAMES : chosen("system", values.system, SYSTEM_NAMES),
    seeds: values.seeds.split(",").map((seed) => number("seeds", seed, 0, 2 ** 32 - 1, true)),
    jobs: number("jobs", values.jobs, 1, 1_024, true),
    json: values.json,
  };
}

/** The network that was asked for; undefined where none was. */
function settingOf(values: {
  readonly rtt?: string;
  readonly lost?: string;
  readonly turn?: string;
}): Setting | undefined {
  const { rtt, lost, turn } = values;
  if (rtt === undefined && lost === undefined && turn === undefined) return undefined;
  return {
    rttMs: rtt === undefined ? NEAR.rttMs : number("rtt", rtt, 0, MOST_MS, false),
    lost: lost === undefined ? NEAR.lost : number("lost", lost, 0, 1, false),
    turnMs: turn === undefined ? NEAR.turnMs : number("turn", turn, 1, MOST_MS, false),
  };
}

function chosen(option: string, text: string, among: readonly string[]): string[] {
  return text.split(",").map((name) => {
    if (among.includes(name)) return name;
    throw new TypeError(`--${option} is "${name}"; give one or more of ${among.join(", ")}`);
  });
}

function number(option: string, text: string, least: number, most: number, isWhole: boolean): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
  throw new TypeError(`--${option} is "${text}"; give a ${isWhole ? "whole " : ""}number from ${least} to ${most}`);
}
