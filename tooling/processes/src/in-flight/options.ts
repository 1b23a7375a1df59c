import { parseArgs } from "node:util";
import type { PermitStore } from "../permits/stores/permit-store.ts";
import { postgres } from "../permits/stores/postgres.ts";
import { redis } from "../permits/stores/redis.ts";
import { sqlite } from "../permits/stores/sqlite.ts";
import type { RunSettings } from "./run.ts";

/** Every store that can be run against. */
export const stores: readonly PermitStore[] = [sqlite, redis, postgres];

export interface Options {
  readonly stores: readonly PermitStore[];
  readonly settings: RunSettings;
  readonly json: boolean;
}

/** What `--help` says. */
export const HELP = `Usage: npm run -s in-flight -- [options]

Real processes make calls with slots of one semaphore, more than there are. One fault comes after the other: a process is
killed, killed while the callee goes on, stands still for 1.5 stale ages; the store stands still or is dead for 0.3 and
1.2 stale ages; max goes up and down process by process; all drain. The callee counts the calls in flight, and they are
judged: never more than max outside the named states of docs/semaphores.md, each of which is counted.

  --store NAME        ${stores.map(({ name }) => name).join(", ")}; may be given several times (default: each in turn)
  --processes N       that make calls (default 20)
  --max N             calls in flight (default 10)
  --stale-after MS    stale age of a process (default 10000); the length of the faults follows from it
  --hold MS           length of a call (default 200)
  --json              all that was seen, one line for each store

Exit code: 0 when the promise holds, 1 when it does not, 2 for options that make no sense.
`;

/** The options, "help", or what is wrong with them. */
export function parseOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: { type: "string", multiple: true, default: stores.map(({ name }) => name) },
        processes: { type: "string", default: "20" },
        max: { type: "string", default: "10" },
        "stale-after": { type: "string", default: "10000" },
        hold: { type: "string", default: "200" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) return "help";
    const whole = (name: "processes" | "max" | "stale-after" | "hold", least: number): number => {
      const value = Number(values[name]);
      if (Number.isInteger(value) && value >= least) return value;
      throw new Error(`--${name} is ${values[name]}; give a whole number >= ${least}`);
    };
    const staleAfterMs = whole("stale-after", 1_000);
    return {
      stores: values.store.map(storeOf),
      settings: {
        processes: whole("processes", 2),
        max: whole("max", 2),
        staleAfterMs,
        stopWithinMs: staleAfterMs / 5,
        callers: 2,
        holdMs: whole("hold", 1),
      },
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
