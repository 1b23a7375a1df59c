import { parseArgs } from "node:util";
import { DEFAULT_SEMAPHORE_BOUNDS as DEFAULT, type SemaphoreBounds } from "./bounds.ts";

/** What the command line asks for. */
export interface SlotModelOptions {
  readonly help: boolean;
  readonly json: boolean;
  /** Only these traps; none with an empty list. */
  readonly traps: readonly string[] | undefined;
  /** Of the full run only the explorations whose name has this in it. */
  readonly run: string | undefined;
  /** One exploration with these bounds instead of the full run. */
  readonly bounds: SemaphoreBounds | undefined;
}

export const SLOT_HELP = `Usage: npm run -s model -- semaphore [options]
Explores every run of a semaphore within bounds: no state has more calls in flight, whose signal has not fired, than max. Then puts known faults in and shows that each is found.
Without bounds: the full run of docs/model.md. With any of these, one exploration (and the traps):

  --members N      processes (default ${DEFAULT.members})
  --max N          calls in flight (default ${DEFAULT.max})
  --ticks N        how long the world runs (default ${DEFAULT.ticks})
  --validity N     ticks for which a share may be used (default ${DEFAULT.validity})
  --stale N        ticks of silence after which a member is removed (default ${DEFAULT.stale})
  --deadline N     ticks within which an answer must come (default ${DEFAULT.deadline})
  --learning N     with --losses: ticks that a new group learns (default ${DEFAULT.learning})
  --waiters N      callers of a process that wait at once (default ${DEFAULT.waiters})
  --slow N         calls to the store during which anything may happen (default ${DEFAULT.slow})
  --leaves N       processes that drain and leave (default ${DEFAULT.leaves})
  --faults N       requests and answers that are lost (default ${DEFAULT.faults})
  --late N         requests and offers that arrive at any time later, or twice (default ${DEFAULT.late})
  --losses N       losses of all data of the store (default ${DEFAULT.losses})
  --restarts N     processes that are killed and started again under one id (default ${DEFAULT.restarts})
  --no-queue       the store has no queue and sends no hints

  --run TEXT       of the full run only the explorations whose name has this in it
  --traps A,B      only these traps, and nothing but their traces; "none" for no trap
  --json           one JSON object on standard output and nothing else there
  --help
`;

const NUMBERS = {
  members: [1, 3],
  max: [1, 9],
  ticks: [0, 20],
  validity: [1, 9],
  stale: [1, 9],
  deadline: [0, 9],
  learning: [0, 9],
  waiters: [0, 9],
  slow: [0, 9],
  leaves: [0, 9],
  faults: [0, 9],
  late: [0, 9],
  losses: [0, 9],
  restarts: [0, 1],
} as const satisfies Partial<Record<keyof SemaphoreBounds, readonly [least: number, most: number]>>;

/** @throws TypeError that names the option, the value and the remedy */
export function parseSlotOptions(args: readonly string[]): SlotModelOptions {
  const numbers = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, { type: "string" as const }]));
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { ...numbers, run: text, traps: text, json: flag, help: flag, "no-queue": flag },
  });
  const given: Record<string, number | boolean> = {};
  for (const [name, [least, most]] of Object.entries(NUMBERS)) {
    const value = values[name as keyof typeof values] as string | undefined;
    if (value !== undefined) given[name] = wholeNumber(name, value, least, most);
  }
  if (values["no-queue"]) given["queue"] = false;
  return {
    help: values.help ?? false,
    json: values.json ?? false,
    traps: values.traps?.split(",").filter((name) => name !== "none"),
    run: values.run,
    bounds: Object.keys(given).length === 0 ? undefined : { ...DEFAULT, ...given },
  };
}

function wholeNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < least || value > most)
    throw new TypeError(`--${name} is "${text}"; give a whole number from ${least} to ${most}`);
  return value;
}
