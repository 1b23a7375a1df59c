import { parseArgs } from "node:util";
import { SHARES, type Shares } from "./fleet/slot.ts";
import { STORES, type StoreName } from "./targets/index.ts";

export const HELP = `npm run chaos -- [options]

Real worker processes on real stores, under real faults: processes are paused and killed, servers too, networks delay, lose, swallow and reset.
Every worker writes down what it was granted; afterwards the whole history is checked. Ends with code 1 on a violation.

  --store <name>    ${STORES.join(", ")}, or all (one after the other). Default redis
  --minutes <n>     how long faults come; fractions are fine. Default 2
  --seed <n>        decides the schedule of faults. Default: a new one
  --workers <n>     2 to 16. Default 4
  --shares <how>    ${SHARES.join(", ")}: how the workers share; mixed is one so and the next the other way. Default even
  --logs <folder>   keep the logs in this folder, a folder for each store. Without it they are kept only after a violation
  --check <folder>  check the logs of a folder again, and run nothing
  --json            one line for each store: {"store","minutes","grants","faults","violations","worstEpoch","max"}; else the whole result, which is also
                    kept with the logs: utilisation, how often each fault came, how long until full use after it
  --help
`;

/** What the command line asks for. */
export type Options =
  | { readonly command: "help" }
  | { readonly command: "check"; readonly folder: string }
  | {
      readonly command: "run";
      readonly stores: readonly StoreName[];
      readonly minutes: number;
      readonly seed: number;
      readonly workers: number;
      readonly shares: Shares;
      readonly logs: string | undefined;
      readonly json: boolean;
    };

/** @throws TypeError naming the option, the value and the remedy */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      store: { type: "string", default: "redis" },
      minutes: { type: "string", default: "2" },
      seed: { type: "string" },
      workers: { type: "string", default: "4" },
      shares: { type: "string", default: "even" },
      logs: { type: "string" },
      check: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return { command: "help" };
  if (values.check !== undefined) return { command: "check", folder: values.check };
  const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000));
  return {
    command: "run",
    stores: storesOf(values.store),
    minutes: number("minutes", values.minutes, 0.1, 10_000),
    seed: whole("seed", seed, 0, 2 ** 32 - 1),
    workers: whole("workers", values.workers, 2, 16),
    shares: sharesOf(values.shares),
    logs: values.logs,
    json: values.json,
  };
}

function storesOf(name: string): readonly StoreName[] {
  if (name === "all") return STORES;
  const store = STORES.find((one) => one === name);
  if (store === undefined) throw new TypeError(`--store is "${name}"; give ${STORES.join(", ")} or all`);
  return [store];
}

function sharesOf(name: string): Shares {
  const shares = SHARES.find((one) => one === name);
  if (shares === undefined) throw new TypeError(`--shares is "${name}"; give ${SHARES.join(", ")}`);
  return shares;
}

function number(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== "" && value >= least && value <= most) return value;
  throw new TypeError(`--${option} is "${text}"; give a number from ${least} to ${most}`);
}

function whole(option: string, text: string, least: number, most: number): number {
  const value = number(option, text, least, most);
  if (Number.isInteger(value)) return value;
  throw new TypeError(`--${option} is "${text}"; give a whole number`);
}
