import { parseArgs } from "node:util";
import type { RunSettings } from "./settings.ts";
import { stores } from "./stores/index.ts";
import type { RunStore } from "./stores/run-store.ts";

/** What the command was asked for. */
export interface Options {
  readonly stores: readonly RunStore[];
  readonly settings: RunSettings;
  readonly json: boolean;
  /** Whether the results are to be committed: in `results/` and in docs/permits.md. */
  readonly save: boolean;
}

/** What `--help` says. */
export const HELP = `Usage: npm run -s permits -- [options]

Real processes take permits of one key as fast as they get them, and make an HTTP request with each. Afterwards it is judged on the store's clock: the
distance between permits, what was lost, how much was reserved ahead, and how even the processes' parts are.

  --store NAME        ${stores.map(({ name }) => name).join(", ")}; may be given several times (default: each in turn)
  --processes N       that take permits (default 20)
  --permits N         after so many the run ends (default 2000)
  --every MS          distance between permits (default 20; at least 100 on etcd and DynamoDB)
  --max-reserved N    permits reserved ahead by all together (default 10)
  --callers N         in each process that ask again at once (default 2)
  --json              all that was measured, one line for each store
  --save              keep the results in tooling/processes/results and docs/permits.md

Exit code: 0 when everything holds, 1 when something does not, 2 for options that make no sense.
`;

/** The options, or what is wrong with them. */
export function parseOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: { type: "string", multiple: true, default: stores.map(({ name }) => name) },
        processes: { type: "string", default: "20" },
        permits: { type: "string", default: "2000" },
        every: { type: "string", default: "20" },
        "max-reserved": { type: "string", default: "10" },
        callers: { type: "string", default: "2" },
        json: { type: "boolean", default: false },
        save: { type: "boolean", default: false },
      },
    });
    const number = (name: "processes" | "permits" | "every" | "max-reserved" | "callers", least: number): number => {
      const value = Number(values[name]);
      if (Number.isFinite(value) && value >= least && (name === "every" || Number.isInteger(value))) return value;
      throw new Error(`--${name} is ${values[name]}; give a ${name === "every" ? "" : "whole "}number >= ${least}`);
    };
    return {
      stores: values.store.map(storeOf),
      settings: {
        processes: number("processes", 1),
        permits: number("permits", 1),
        everyMs: number("every", 0.001),
        maxReserved: number("max-reserved", 0),
        callers: number("callers", 1),
      },
      json: values.json,
      save: values.save,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function storeOf(name: string): RunStore {
  const store = stores.find((other) => other.name === name);
  if (store) return store;
  throw new Error(`--store is ${name}; there are ${stores.map((other) => other.name).join(", ")}`);
}
