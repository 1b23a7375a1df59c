import { parseArgs } from "node:util";
import { type Bounds, DEFAULT_BOUNDS } from "./bounds.ts";

/** What the command line asks for. */
export interface ModelOptions {
  readonly command: "run" | "help";
  readonly json: boolean;
  /** Only these traps; none with an empty list. */
  readonly traps: readonly string[] | undefined;
  /** Of the full run only the explorations whose name has this in it. */
  readonly run: string | undefined;
  /** One exploration with these bounds instead of the full run. */
  readonly bounds: Bounds | undefined;
}

export const HELP = `Usage: npm run -s model -- [options]
Explores every run of the ledger protocol within bounds and checks the promise in each state; then puts known faults in and shows that each is found.
Without bounds: the full run of docs/model.md, several explorations and every trap. With any of these, one exploration (and the traps):

  --members N      processes, 1 to 4 (default ${DEFAULT_BOUNDS.members})
  --demand N       of these, so many share by demand, the others evenly (default ${DEFAULT_BOUNDS.demand})
  --max N          tokens of an epoch, 1 to 15 (default ${DEFAULT_BOUNDS.max})
  --ticks N        how long the world runs, two ticks an epoch; 0 = for ever (default ${DEFAULT_BOUNDS.ticks})
  --validity N     ticks for which a share may be used (default ${DEFAULT_BOUNDS.validity})
  --stale N        ticks of silence after which a member is removed (default ${DEFAULT_BOUNDS.stale})
  --deadline N     ticks within which an answer must come (default ${DEFAULT_BOUNDS.deadline})
  --faults N       messages that are lost or take longer than a tick (default ${DEFAULT_BOUNDS.faults})
  --late N         requests that arrive after their sender gave up, or twice (default ${DEFAULT_BOUNDS.late})
  --losses N       losses of all data of the store (default ${DEFAULT_BOUNDS.losses})
  --learning N     with --losses: ticks that a new group learns (default ${DEFAULT_BOUNDS.learning})
  --aged-data      with --losses: the store knows since when it has its data
  --resizes N      changes of a member's max (default ${DEFAULT_BOUNDS.resizes})
  --from S         empty | agreed | both: where runs begin (default ${DEFAULT_BOUNDS.from})
  --quiet-rule     a quiet stretch counts as at most a quarter of the stale age (--stale must then be a multiple of 4)
  --idle           callers that take what they may at any time, or never
  --naive          every interleaving, also of what does not touch

  --run TEXT       of the full run only the explorations whose name has this in it
  --traps A,B      only these traps, and nothing but their traces; "none" for no trap
  --json           one JSON object on standard output and nothing else there
  --help
`;

const NUMBERS = {
  members: [1, 4],
  demand: [0, 4],
  max: [1, 15],
  ticks: [0, 200],
  validity: [1, 12],
  stale: [1, 12],
  deadline: [0, 12],
  faults: [0, 15],
  late: [0, 15],
  losses: [0, 15],
  learning: [0, 12],
  resizes: [0, 15],
} as const satisfies Partial<Record<keyof Bounds, readonly [least: number, most: number]>>;

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;

/** @throws TypeError that names the option, the value and the remedy */
export function parseOptions(args: readonly string[]): ModelOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{
        members: TEXT,
        demand: TEXT,
        max: TEXT,
        ticks: TEXT,
        validity: TEXT,
        stale: TEXT,
        deadline: TEXT,
        faults: TEXT,
      },
      ...{ late: TEXT, losses: TEXT, learning: TEXT, resizes: TEXT, from: TEXT, traps: TEXT, run: TEXT },
      ...{ json: FLAG, help: FLAG, idle: FLAG, naive: FLAG, "quiet-rule": FLAG, "aged-data": FLAG },
    },
  });
  const given: { -readonly [name in keyof Bounds]?: Bounds[name] } = {};
  for (const [name, [least, most]] of Object.entries(NUMBERS) as [keyof typeof NUMBERS, readonly [number, number]][]) {
    const text = values[name];
    if (text !== undefined) given[name] = wholeNumber(name, text, least, most);
  }
  if (values.from !== undefined) given.from = startOf(values.from);
  if (values.idle) given.idle = true;
  if (values.naive) given.naive = true;
  if (values["quiet-rule"]) given.quietRule = true;
  if (values["aged-data"]) given.agedData = true;
  return {
    command: values.help ? "help" : "run",
    json: values.json ?? false,
    traps: values.traps?.split(",").filter((name) => name !== "none"),
    run: values.run,
    bounds: Object.keys(given).length === 0 ? undefined : checked({ ...DEFAULT_BOUNDS, ...given }),
  };
}

function checked(bounds: Bounds): Bounds {
  if (bounds.quietRule && bounds.stale % 4 !== 0)
    throw new TypeError(`--stale is ${bounds.stale} with --quiet-rule; give a multiple of 4`);
  if (bounds.demand > bounds.members)
    throw new TypeError(`--demand is ${bounds.demand} with ${bounds.members} members; give at most so many`);
  if (bounds.demand > 0 && bounds.from === "agreed")
    throw new TypeError("--from is agreed with --demand; give empty, since such members never agree");
  if (bounds.resizes > 0 && bounds.max < 2)
    throw new TypeError(`--max is ${bounds.max} with --resizes; give at least 2`);
  return bounds;
}

function startOf(text: string): Bounds["from"] {
  if (text === "empty" || text === "agreed" || text === "both") return text;
  throw new TypeError(`--from is "${text}"; give empty, agreed or both`);
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < least || value > most)
    throw new TypeError(`--${name} is "${text}"; give a whole number from ${least} to ${most}`);
  return value;
}
