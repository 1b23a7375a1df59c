import type { Benchmark, RunOptions } from "../benchmark.ts";
import { interleaved } from "../interleaved.ts";
import { longEnough } from "../long-enough.ts";
import { figure, figures, ratio } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { median, type Percentiles, quotient, spread } from "../statistics.ts";
import { type Approach, approaches } from "./approaches.ts";
import type { BudgetPlan } from "./plan.ts";
import { type ApproachFigures, runApproach, versionOf } from "./run-approach.ts";

export interface MeasuredApproach {
  readonly name: string;
  readonly version: string | null;
  readonly settings: string;
  /** One for each round. */
  readonly rounds: readonly ApproachFigures[];
}

export interface BudgetFigures {
  readonly plan: BudgetPlan;
  readonly approaches: readonly MeasuredApproach[];
}

/** A fleet that shares 600 requests and 60,000 tokens a minute, and how long its calls take. */
const MINUTE_MS = 60_000;
const PER_MINUTE = { requests: 600, tokens: 60_000 };
const LIGHT_PER_SECOND = [1.4, 0.4, 0.1, 0.1];
const HOLD_MS = [300, 3_000] as const;

export const budgets: Benchmark<BudgetFigures> = {
  name: "budgets",
  summary:
    "the requests and tokens of a provider's quota, shared by a greedy process and four light ones in three ways",
  parts: approaches.map(({ name }) => name),
  run,
  report,
  merge: (kept, fresh) => ({
    ...kept,
    approaches: approaches.flatMap(({ name }) => {
      const isIt = (measured: MeasuredApproach): boolean => measured.name === name;
      return fresh.approaches.find(isIt) ?? kept.approaches.find(isIt) ?? [];
    }),
  }),
};

/** A minute of such a fleet in another time: everything is so much faster. */
function planOf(windowMs: number, calls: number): BudgetPlan {
  const faster = MINUTE_MS / windowMs;
  return {
    quota: { windowMs, requests: PER_MINUTE.requests * calls, tokens: PER_MINUTE.tokens * calls },
    lightPerSecond: LIGHT_PER_SECOND.map((perSecond) => perSecond * faster * calls),
    greedyCalls: 40,
    holdMs: [HOLD_MS[0] / faster, HOLD_MS[1] / faster],
    warmUpMs: 1.5 * windowMs,
    measuredMs: 3 * windowMs,
  };
}

async function run(options: RunOptions): Promise<BudgetFigures> {
  const plan = planOf(2_000, 0.25);
  return options.quick
    ? longEnough((factor) => measureAll({ ...plan, measuredMs: factor * plan.measuredMs }, 1, options), isMeasured)
    : measureAll(planOf(20_000, 1), options.rounds ?? 2, options);
}

/** Whether calls of all processes began with every approach, and Redis was asked. */
function isMeasured({ approaches: measured }: BudgetFigures): boolean {
  return measured.every(({ rounds }) =>
    rounds.every(
      ({ requestsPerCall, lightWaitMs, greedyWaitMs }) =>
        (requestsPerCall ?? 0) > 0 && lightWaitMs !== null && greedyWaitMs !== null,
    ),
  );
}

async function measureAll(plan: BudgetPlan, rounds: number, { only, progress }: RunOptions): Promise<BudgetFigures> {
  const wanted = approaches.filter(({ name }) => only === undefined || only === name);
  const measure = async (approach: Approach): Promise<ApproachFigures> => {
    progress(`${approach.name}: ${(plan.warmUpMs + plan.measuredMs) / 1_000} s; ${approach.settings(plan.quota)}`);
    const measured = await runApproach(approach, plan);
    const { refused, givenUp, requestsPerCall, lightWaitMs } = measured;
    progress(
      `${approach.name}: ${percent(usedOf(measured))} used, ${refused} refused, ${givenUp} given up, ${figure(requestsPerCall)} requests for each call, light processes wait ${figures(lightWaitMs)} ms`,
    );
    return measured;
  };
  const measured = await interleaved(wanted, rounds, measure);
  return {
    plan,
    approaches: wanted.map((approach, index) => ({
      name: approach.name,
      version: versionOf(approach),
      settings: approach.settings(plan.quota),
      rounds: measured[index] ?? [],
    })),
  };
}

/** Of the limit that binds. */
function usedOf({ usedRequests, usedTokens }: ApproachFigures): number {
  return Math.max(usedRequests, usedTokens);
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

function report({ plan, approaches: measured }: BudgetFigures): Report {
  const { quota, lightPerSecond, greedyCalls, holdMs, warmUpMs, measuredMs } = plan;
  const seconds = (ms: number): string => `${ms / 1_000} s`;
  const middle = ({ rounds }: MeasuredApproach, of: (round: ApproachFigures) => number | null): number | null =>
    median(rounds.flatMap((round) => of(round) ?? []));
  const used = ({ rounds }: MeasuredApproach): number => spread(rounds.map(usedOf)).median;
  const own = measured.find(({ version }) => version === null);
  const others = measured.filter(({ version }) => version !== null);
  const best = Math.max(0, ...others.map(used));
  return {
    tables: [
      {
        title: `${quota.requests} requests and ${quota.tokens.toLocaleString("en-US")} tokens in any ${seconds(quota.windowMs)}`,
        columns: [
          "approach",
          "used of the limit that binds",
          "to the better of the others",
          "refused with 429",
          "requests to Redis per call",
          "light processes wait: p50, p99, ms",
          "the greedy one waits: p50, p99, ms",
        ],
        rows: measured.map((approach) => {
          const waits = (of: (round: ApproachFigures) => Percentiles | null): string =>
            [0, 1].map((at) => figure(middle(approach, (round) => of(round)?.[at] ?? null))).join(", ");
          return [
            approach.name,
            percent(used(approach)),
            approach === own && others.length > 0 ? ratio(quotient(used(approach), best)) : "",
            approach.rounds.map(({ refused }) => refused).join(", "),
            figure(middle(approach, ({ requestsPerCall }) => requestsPerCall)),
            waits(({ lightWaitMs }) => lightWaitMs),
            waits(({ greedyWaitMs }) => greedyWaitMs),
          ];
        }),
        notes: [
          `Each process, the callee and Redis are processes of their own. The callee counts in sliding windows. It counts a request and its prompt (20 to 80 tokens) as a call begins. It counts the output (50 tokens on average, at most 400) once the call has ended. A call takes ${holdMs.join(" to ")} ms. It is reserved with its prompt and 50 tokens, and settled with its true cost.`,
          `One process always has ${greedyCalls} calls that wait or run. The others make ${lightPerSecond.map((perSecond) => figure(perSecond)).join(", ")} calls a second on average. It is a minute of 600 requests and 60,000 tokens, made so much faster. Measured for ${seconds(measuredMs)} after ${seconds(warmUpMs)}; medians of the rounds, the refusals of each round with those of the warm-up.`,
          ...measured.map(
            ({ name, version, settings }) => `${name}${version === null ? "" : ` ${version}`}: ${settings}.`,
          ),
          "The documentation of bottleneck asks for a multiple of 5 s with clustering, which is how often its heartbeat comes. Here it comes every 250 ms, which uses more of the quota.",
          `The machine's load at the end of each: ${measured.flatMap(({ rounds }) => rounds.map(({ load }) => load.toFixed(1))).join(", ")}.`,
        ],
      },
    ],
    targets: own
      ? [
          ...(others.length > 0
            ? [
                atMost(
                  `${own.name}: points below the better of the others`,
                  best > 0 ? 100 * (best - used(own)) : null,
                  2,
                ),
              ]
            : []),
          atMost(
            `${own.name}: refused calls`,
            used(own) > 0 ? Math.max(...own.rounds.map(({ refused }) => refused)) : null,
            0,
          ),
          atMost(
            `${own.name}: requests to Redis per call`,
            middle(own, ({ requestsPerCall }) => requestsPerCall),
            1.2,
          ),
        ]
      : [],
  };
}
