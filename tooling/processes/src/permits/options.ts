import { parseArgs } from "node:util";
import type { RunSettings } from "./steady.ts";
import { stores } from "./stores/index.ts";
import type { PermitStore } from "./stores/permit-store.ts";

/** What the command was asked for. */
export interface Options {
  readonly stores: readonly PermitStore[];
  readonly settings: RunSettings;
  readonly faults: boolean;
  readonly json: boolean;
}

/** What `--help` says. */
export const HELP = `Usage: npm run -s permits -- [options]

Real processes take permits of one key as fast as they get them, and write down what happens. Then their logs are judged on the store's clock: no permit
too close to another, early, late or twice, none lost, no more reserved ahead than allowed, nobody hangs; and how even the processes' parts are.

  --store NAME        ${stores.map(({ name }) => name).join(", ")}; may be given several times (default: each in turn)
  --processes N       that take permits (default 20)
  --permits N         after so many the run ends (default 2000)
  --every MS          distance between permits (default 20; at least 100 on etcd and 200 on DynamoDB)
  --max-reserved N    permits reserved ahead by all together (default 10)
  --callers N         in each process that ask again at once (default 2)
  --faults            five processes instead, while a holder is killed, a process and the store stand still, the store is restarted, replies are
                      lost, a thousand callers give up at once, and one wall clock is 5 s off
  --json              all that was measured, one line for each store

Exit code: 0 when everything holds, 1 when something does not, 2 for options that make no sense.
`;

/** The options, "help", or what is wrong with them. */
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
        faults: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return "help";
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
      faults: values.faults,
      json: values.json,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

function storeOf(name: string): PermitStore {
  const store = stores.find((other) => other.name === name);
  if (store) return store;
  throw new Error(`--store is ${name}; there are ${stores.map((other) => other.name).join(", ")}`);
}
