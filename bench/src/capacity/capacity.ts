import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type CalleeSettings, startCallee } from "@dt-tooling/backends/callee";
import { loader } from "@dt-tooling/backends/source-process";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { capacityReport } from "./capacity-report.ts";
import { highestRate } from "./known-capacity.ts";

const execute = promisify(execFile);
const cli = new URL("../../../apps/cli/src/main.ts", import.meta.url).pathname;

export interface CapacityFigures {
  readonly callees: readonly {
    readonly callee: string;
    readonly asked: string;
    /** Calls a second, from the callee's settings. */
    readonly known: number;
    /** What the command found, in each round. */
    readonly found: readonly number[];
  }[];
}

interface Known {
  readonly callee: string;
  readonly settings: CalleeSettings;
  readonly asked: readonly string[];
  readonly perSecond: number;
}

/**
 * With a fixed time nobody waits until every worker is busy all the time. Independent users with calls of all lengths
 * wait before that: theory says how long.
 */
const KNOWN: readonly Known[] = [
  {
    callee: "4 workers, 40 ms",
    settings: { workers: 4, serviceMs: 40, service: "fixed" },
    asked: ["--p99", "100ms", "--arrivals", "even"],
    perSecond: 100,
  },
  {
    callee: "16 workers, 50 ms",
    settings: { workers: 16, serviceMs: 50, service: "fixed" },
    asked: ["--p90", "150ms", "--arrivals", "even"],
    perSecond: 320,
  },
  {
    callee: "8 workers, 40 ms on average (exponential)",
    settings: { workers: 8, serviceMs: 40, service: "exponential" },
    asked: ["--p99", "300ms", "--arrivals", "poisson"],
    perSecond: highestRate(8, 40, 0.99, 300),
  },
];

export const capacity: Benchmark<CapacityFigures> = {
  name: "capacity",
  summary: "what dt capacity finds of callees whose capacity is known",
  run,
  report: capacityReport,
};

async function run({ rounds, quick, progress }: RunOptions): Promise<CapacityFigures> {
  const callees = [];
  for (const { callee, settings, asked, perSecond } of quick ? KNOWN.slice(0, 1) : KNOWN) {
    const found: number[] = [];
    for (let round = 0; round < (rounds ?? (quick ? 1 : 3)); round++) {
      found.push(await find(settings, [...asked, ...(quick ? ["--step", "500ms", "--precision", "30"] : [])]));
      progress(`${callee}: ${found.at(-1)?.toFixed(1)} of ${perSecond.toFixed(1)} calls a second`);
    }
    callees.push({ callee, asked: asked.join(" "), known: perSecond, found });
  }
  return { callees };
}

/** NaN when it finds none. */
async function find(settings: CalleeSettings, asked: readonly string[]): Promise<number> {
  await using callee = await startCallee(settings);
  const args = ["--no-warnings", "--import", loader, cli, "capacity", "--url", callee.url, "--from", "40", ...asked];
  const { stdout } = await execute(process.execPath, [...args, "--json"], { timeout: 600_000 }).catch(
    (error: { readonly stdout: string }) => error,
  );
  const { capacity: knee } = JSON.parse(stdout) as { readonly capacity: { readonly perSecond: number } | null };
  return knee?.perSecond ?? Number.NaN;
}
