import { join } from "node:path";
import { startRedis } from "@dt-tooling/backends";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { runChild } from "../child.ts";
import { interleaved } from "../interleaved.ts";
import { longEnough } from "../long-enough.ts";
import { packageVersion } from "../package-version.ts";
import { count, figure } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { PER_SECOND } from "./limiter.ts";
import { limiters } from "./limiters.ts";
import { mostWithin } from "./windows.ts";

/** What a limiter let through. */
export interface PatternFigures {
  /** Most starts in any stretch of {@link RateAccuracyFigures.windowMs}, the worst round. */
  readonly most: number;
  /** Starts in a second, over the whole of the saturated part, the least round. */
  readonly perSecond: number;
}

export interface LimiterFigures {
  readonly name: string;
  readonly version: string | null;
  readonly configuration: string;
  /** 900 ms idle, then saturated. */
  readonly a: PatternFigures;
  /** One call, 900 ms idle, then saturated. */
  readonly b: PatternFigures;
}

/** How many calls start in how short a time, where ten a second are allowed. */
export interface RateAccuracyFigures {
  readonly rounds: number;
  readonly seconds: number;
  readonly windowMs: number;
  readonly limiters: readonly LimiterFigures[];
}

const WINDOW_MS = 980;
const DEFAULT_ROUNDS = 5;
const script = join(import.meta.dirname, "measure-limiter.ts");

export const rateAccuracy: Benchmark<RateAccuracyFigures> = {
  name: "rate-accuracy",
  summary: "how many calls start within 980 ms where ten a second are allowed, beside other limiters",
  run,
  report: rateAccuracyReport,
};

async function run(options: RunOptions): Promise<RateAccuracyFigures> {
  const { quick, rounds = quick ? 1 : DEFAULT_ROUNDS } = options;
  return quick
    ? longEnough((factor) => measureAll(rounds, factor, options), isMeasured)
    : measureAll(rounds, 5, options);
}

/** Whether every limiter let calls through. */
function isMeasured(figures: RateAccuracyFigures): boolean {
  return figures.limiters.every(({ a, b }) => Math.min(a.most, b.most) > 0);
}

async function measureAll(rounds: number, seconds: number, { progress }: RunOptions): Promise<RateAccuracyFigures> {
  const redis = await startRedis({ control: true });
  const starts = (name: string, pattern: "A" | "B"): Promise<number[]> =>
    runChild<number[]>({ script, args: [name, pattern, String(seconds), redis.url] });
  const measured = await interleaved(limiters, rounds, async ({ name }, round) => {
    progress(`${name}: round ${round + 1} of ${rounds}`);
    const [a, b] = await Promise.all([starts(name, "A"), starts(name, "B")]);
    return { a, b };
  }).finally(() => redis.stop());
  const figuresOf = (all: readonly number[][]): PatternFigures => ({
    most: Math.max(...all.map((times) => mostWithin(times, WINDOW_MS))),
    perSecond: Math.min(...all.map((times) => times.length / seconds)),
  });
  return {
    ...{ rounds, seconds, windowMs: WINDOW_MS },
    limiters: limiters.map(({ name, package: from, configuration }, i) => ({
      ...{ name, version: from === undefined ? null : packageVersion(from), configuration },
      a: figuresOf((measured[i] ?? []).map(({ a }) => a)),
      b: figuresOf((measured[i] ?? []).map(({ b }) => b)),
    })),
  };
}

export function rateAccuracyReport({ rounds, seconds, windowMs, limiters }: RateAccuracyFigures): Report {
  const most = `most starts in ${windowMs} ms`;
  return {
    tables: [
      {
        title: `${PER_SECOND} calls a second`,
        columns: ["", `A: ${most}`, "A: calls/s", `B: ${most}`, "B: calls/s"],
        rows: limiters.map(({ name, a, b }) => [
          name,
          ...[a, b].flatMap((pattern) => [count(pattern.most), figure(pattern.perSecond)]),
        ]),
        notes: [
          "A: 900 ms idle, then saturated. B: one call, 900 ms idle, then saturated.",
          `The worst of ${rounds} rounds of ${seconds} s each. Limiters take turns, each pattern in a process of its own, at real-time priority where that is allowed. Calls a second are those that start in the saturated part, in B with the one call before it.`,
          "A callee that counts by sliding seconds refuses what is more than its limit in any of them; 980 ms leave 20 ms for the clocks and the network between.",
          ...limiters.map(
            ({ name, version, configuration }) => `${name}${version ? ` ${version}` : ""}: ${configuration}.`,
          ),
        ],
      },
    ],
    targets: limiters
      .filter(({ version }) => version === null)
      .flatMap(({ name, ...patterns }) =>
        (["a", "b"] as const).map((pattern) => {
          const starts = patterns[pattern].most;
          const what = `${name}: ${most}, pattern ${pattern.toUpperCase()}`;
          return atMost(what, starts > 0 ? starts : null, PER_SECOND);
        }),
      ),
  };
}
