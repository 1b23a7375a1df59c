import { parseArgs } from "node:util";
import { quickStores } from "../permits/stores/index.ts";
import type { PermitStore } from "../permits/stores/permit-store.ts";
import type { RunSettings } from "./run.ts";
import { KINDS } from "./settings.ts";

export interface Options {
  readonly stores: readonly PermitStore[];
  readonly settings: RunSettings;
  readonly json: boolean;
}

/** What `--help` says. */
export const HELP = `Usage: npm run -s limits -- [options]

Real processes make calls through limiters whose limits live in the store, while \`dt limit set\` changes them: raised,
lowered, lowered to 1 and raised again, and lowered while one process of each kind is cut off. The calls are judged from
outside: never more than the larger limit; after a raise never more than the new one; after a lowering, never more than
the new one from the next sync of each process, or from the end of validity of the one that is cut off. Nobody is stuck.

  --store NAME        ${quickStores.map(({ name }) => name).join(", ")}; may be given several times (default: each in turn)
  --kind NAME         ${KINDS.join(", ")}; may be given several times (default: all, side by side)
  --processes N       of all kinds together, as many of each (default 30)
  --callers N         in each process (default 6)
  --stay MS           how long each limit stays (default 5000)
  --json              all that was seen, one line for each store

Exit code: 0 when the limits hold, 1 when they do not, 2 for options that make no sense.
`;

/** The options, "help", or what is wrong with them. */
export function parseOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: { type: "string", multiple: true, default: quickStores.map(({ name }) => name) },
        kind: { type: "string", multiple: true, default: [...KINDS] },
        processes: { type: "string", default: "30" },
        callers: { type: "string", default: "6" },
        stay: { type: "string", default: "5000" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return "help";
    const stores = values.store.map((name) => {
      const store = quickStores.find((one) => one.name === name);
      if (!store) throw new Error(`--store: ${name} is none of ${quickStores.map((one) => one.name).join(", ")}`);
      return store;
    });
    const kinds = values.kind.map((name) => {
      const kind = KINDS.find((one) => one === name);
      if (!kind) throw new Error(`--kind: ${name} is none of ${KINDS.join(", ")}`);
      return kind;
    });
    const whole = (name: "processes" | "callers" | "stay", least: number): number => {
      const value = Number(values[name]);
      if (Number.isSafeInteger(value) && value >= least) return value;
      throw new Error(`--${name}: give a whole number >= ${least}`);
    };
    const ofEach = Math.floor(whole("processes", kinds.length) / kinds.length);
    const settings = { kinds, ofEach, callers: whole("callers", 1), stayMs: whole("stay", 100) };
    return { stores, settings, json: values.json };
  } catch (error) {
    return (error as Error).message;
  }
}
