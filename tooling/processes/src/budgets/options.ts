import { parseArgs } from "node:util";
import { quickStores, stores } from "../permits/stores/index.ts";
import type { PermitStore } from "../permits/stores/permit-store.ts";
import type { RunSettings } from "./run.ts";

export interface Options {
  readonly stores: readonly PermitStore[];
  readonly settings: RunSettings;
  readonly json: boolean;
}

/** What `--help` says. */
export const HELP = `Usage: npm run -s budgets -- [options]

Real processes make calls with leases of one budget, more than it allows. One fault comes after the other: a process is
killed between reserve and settle; leases are settled twice, by two processes; the store stands still, restarts or dies
while leases are settled; streams are cut in the middle; a process stands still past its lateness; leases are never
settled; the store comes back empty (Redis). The callee counts what the calls cost in sliding windows. They are judged:
never more than the limits, but for what calls cost beyond what they had reserved, and what a store forgot. A second
budget is judged to the unit: leases stay spent, and what was reserved too much comes back once.

  --store NAME        ${stores.map(({ name }) => name).join(", ")}; may be given several times (default:
                      ${quickStores.map(({ name }) => name).join(", ")}, each in turn)
  --processes N       that make calls (default 6)
  --window MS         the window of the limits (default 10000); the length of the faults follows from it
  --hold MS           length of a call (default 300)
  --json              all that was seen, one line for each store

Exit code: 0 when the promise holds, 1 when it does not, 2 for options that make no sense.
`;

/** The options, "help", or what is wrong with them. */
export function parseOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: { type: "string", multiple: true, default: quickStores.map(({ name }) => name) },
        processes: { type: "string", default: "6" },
        window: { type: "string", default: "10000" },
        hold: { type: "string", default: "300" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return "help";
    const whole = (name: "processes" | "window" | "hold", least: number): number => {
      const value = Number(values[name]);
      if (Number.isInteger(value) && value >= least) return value;
      throw new Error(`--${name} is ${values[name]}; give a whole number >= ${least}`);
    };
    const windowMs = whole("window", 2_000);
    return {
      stores: values.store.map(storeOf),
      settings: { processes: whole("processes", 2), ...settingsOf(windowMs, whole("hold", 1)) },
      json: values.json,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Thirty calls a second of about a hundred tokens, fewer than the callers would make. */
export function settingsOf(windowMs: number, holdMs: number): Omit<RunSettings, "processes"> {
  const seconds = windowMs / 1_000;
  return {
    quota: { requests: 30 * seconds, tokens: 2_500 * seconds, windowMs },
    latenessMs: windowMs / 10,
    callers: 6,
    holdMs,
    settleWithinMs: 60_000,
  };
}

function storeOf(name: string): PermitStore {
  const store = stores.find((other) => other.name === name);
  if (store) return store;
  throw new Error(`--store is ${name}; there are ${stores.map((other) => other.name).join(", ")}`);
}
