import { aligned, percent } from "@dt-tooling/simulator/callee";
import { linearAxis, spanAxis } from "../plot/axis.ts";
import { linePlots } from "../plot/line-plots.ts";
import { shownUrl } from "../without-secrets.ts";
import type { Measured } from "./measure.ts";
import { holds, type Objective, type Step } from "./step.ts";

/** What was measured, as data. */
export interface CapacityReport {
  readonly url: string;
  readonly objective: Objective;
  readonly steps: readonly (Step & { readonly holds: boolean; readonly littlesLaw: number })[];
  /** Calls a second at the highest rate that held, and how many were in flight then; null when none held. */
  readonly capacity: { readonly perSecond: number; readonly concurrency: number } | null;
  /**
   * The lowest rate that did not hold; null when every rate did, so that the capacity is higher than what was tried.
   */
  readonly failsAt: number | null;
  readonly suggestion: Suggestion | null;
  readonly cut: NonNullable<Measured["cut"]> | null;
}

export function reportOf(url: URL, objective: Objective, { steps, found, cut }: Measured): CapacityReport {
  const knee = steps.findLast(({ rate }) => rate === found.holds);
  return {
    url: shownUrl(url),
    objective,
    steps: steps.map((step) => ({ ...step, holds: holds(step, objective), littlesLaw: littlesLaw(step) })),
    capacity: knee === undefined ? null : { perSecond: knee.throughput, concurrency: knee.inflight },
    failsAt: found.fails ?? null,
    suggestion: knee === undefined ? null : suggest(knee),
    cut: cut ?? null,
  };
}

/** R x L, which Little's law says is P: how many are in flight. */
const littlesLaw = ({ throughput, meanMs }: Step): number => (throughput * meanMs) / 1000;

const HEAD = [
  "calls/s",
  "answered/s (R)",
  "mean (L)",
  "p50",
  "p90",
  "p99",
  "in flight (P)",
  "R x L",
  "lost",
  "holds",
  "",
];

/** The rates in the order in which they were tried, then the knee in words. */
export function textOf(report: CapacityReport): string {
  const table = aligned([
    HEAD,
    ...report.steps.map((step) => [
      step.rate.toFixed(1),
      step.throughput.toFixed(1),
      ms(step.meanMs),
      ms(step.p50Ms),
      ms(step.p90Ms),
      ms(step.p99Ms),
      step.inflight.toFixed(1),
      Number.isNaN(step.littlesLaw) ? "-" : step.littlesLaw.toFixed(1),
      percent(step.lost),
      step.holds ? "yes" : (step.ended ?? "no"),
      "",
    ]),
  ]);
  return `${table}\n${inWords(report)}\n`;
}

function inWords({ capacity, failsAt, suggestion, objective, cut, steps }: CapacityReport): string {
  const goal = `p${100 * objective.quantile} within ${objective.withinMs} ms`;
  const why = cut === null ? "" : ` Ended before the knee was known: ${CUT[cut]}.`;
  if (steps.length > 0 && steps.every(({ lost }) => lost === 1))
    return `Not one call was answered well: each failed, was refused, got a status of 400 or more, or no answer in time. Look at the answer to a single call.${why}`;
  if (capacity === null || suggestion === null)
    return `No rate that was tried keeps ${goal}${steps.length === 0 ? "" : "; begin lower, with --from"}.${why}`;
  const range = `${capacity.perSecond.toFixed(1)} calls a second with ${capacity.concurrency.toFixed(1)} in flight keep ${goal}`;
  const beyond =
    failsAt === null
      ? `At least: ${range}.${cut === null ? " Every rate that was tried does; try higher ones, with --to." : ""}`
      : `Capacity: ${range}; ${failsAt.toFixed(1)} do not.`;
  return [
    beyond + why,
    `Suggested for the whole fleet: createThrottle({ max: ${suggestion.max}, interval: "1s", release: "even", ... }), or ${suggestion.concurrency} calls at a time.`,
  ].join("\n");
}

const CUT = {
  interrupted: "it was interrupted",
  "too many calls": "--max-calls would have been exceeded",
  "this machine is too slow": "this machine could not send calls in time",
} as const;

const ms = (value: number): string => (Number.isNaN(value) ? "-" : `${value.toFixed(1)} ms`);

/** Latency, calls in flight and what was answered over the rate of calls. */
export function plotOf({ url, steps, objective }: CapacityReport): string {
  const sorted = [...steps].sort((a, b) => a.rate - b.rate);
  const xs = sorted.map(({ rate }) => rate);
  const highest = (values: readonly number[]): number => Math.max(1, ...values.filter(Number.isFinite));
  const row = (
    label: string,
    lines: readonly (readonly [string, "first" | "second" | "reference", readonly number[]])[],
  ) => ({
    label,
    y: linearAxis(highest(lines.flatMap(([, , values]) => values))),
    columns: [lines.map(([name, look, values]) => ({ label: name, look, values }))],
  });
  return linePlots({
    title: `What ${url} can take`,
    subtitle: `Measured: p${100 * objective.quantile} is to be within ${objective.withinMs} ms.`,
    columns: [""],
    xLabel: "calls a second",
    xs,
    x: spanAxis(0, Math.max(1, ...xs)),
    rows: [
      row("latency, ms", [
        ["p50", "first", sorted.map(({ p50Ms }) => p50Ms)],
        ["p99", "second", sorted.map(({ p99Ms }) => p99Ms)],
        ["objective", "reference", sorted.map(() => objective.withinMs)],
      ]),
      row("in flight", [
        ["counted (P)", "first", sorted.map(({ inflight }) => inflight)],
        ["R x L", "reference", sorted.map(({ littlesLaw }) => littlesLaw)],
      ]),
      row("answered a second", [
        ["answered", "first", sorted.map(({ throughput }) => throughput)],
        ["sent", "reference", sorted.map(({ offered }) => offered)],
      ]),
    ],
  });
}

/** What a fleet that calls this service may be given. */
interface Suggestion {
  /** For `createThrottle({ max, interval: "1s" })`. */
  readonly max: number;
  /** For a fleet's concurrency limits together. */
  readonly concurrency: number;
}

/** Requests leave evenly and arrive with so much jitter, in milliseconds of a second (docs/headroom.md). */
const JITTER_MS = 30;

/**
 * From the highest rate at which the service kept to its objective: as many a second, less the headroom that jitter
 * takes in a sliding second; and as many at a time as were in flight then.
 */
function suggest({ throughput, inflight }: Pick<Step, "throughput" | "inflight">): Suggestion {
  const headroom = Math.max(1, Math.ceil((throughput * JITTER_MS) / (1000 + JITTER_MS)));
  return { max: Math.max(1, Math.floor(throughput) - headroom), concurrency: Math.max(1, Math.ceil(inflight)) };
}
