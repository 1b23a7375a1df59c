import { systemRuntime } from "@dt/core";
import { type ConformanceCase, conformanceCases, DEFAULT_SEED } from "./bound-case.ts";
import { ConformanceFailure, SkippedCase } from "./failure.ts";
import type { HistoryEntry } from "./history.ts";
import type { Rule } from "./rules.ts";
import type { StoreTarget } from "./target.ts";

/** How one case ended. */
export interface CaseResult {
  /** The case's name. */
  readonly case: string;
  /** The rule that the case checks. */
  readonly rule: Rule;
  /** Whether it passed, failed, or was skipped. */
  readonly outcome: "passed" | "failed" | "skipped";
  /** How long it ran, in milliseconds; 0 when skipped. */
  readonly ms: number;
  /** Why it was skipped. */
  readonly why?: string;
  /** Why it failed; undefined where it did not. */
  readonly failure?: CaseFailure;
}

/** A failed case. */
export interface CaseFailure {
  /** The name of the case that failed. */
  readonly case: string;
  /** The rule that is broken, which may be another one than the case is about. */
  readonly rule: Rule;
  /** The rule, what was expected, and the history that shows it, as text. */
  readonly message: string;
  /** What was expected and received, in a line or two. */
  readonly summary: string;
  /** Every call of the case, in order. */
  readonly history: readonly HistoryEntry[];
}

/** The outcome of a run: plain data, as `JSON.stringify` takes it. */
export interface ConformanceReport {
  /** The target's name. */
  readonly target: string;
  /** Gives the same schedules again. */
  readonly seed: number;
  /** How many cases passed. */
  readonly passed: number;
  /** How many cases failed. */
  readonly failed: number;
  /** How many cases were skipped, since the store cannot do what they are about. */
  readonly skipped: readonly { readonly case: string; readonly why: string }[];
  /** Each case that failed, with its history. */
  readonly failures: readonly CaseFailure[];
  /** How long the run took, in milliseconds. */
  readonly ms: number;
}

/** Options of {@link runConformance}. */
export interface ConformanceOptions {
  /**
   * Only cases whose `rule name` contains this text (in any case) or matches this expression.
   * @default none
   */
  readonly filter?: string | RegExp;
  /**
   * Seed of the random schedules.
   * @default 1
   */
  readonly seed?: number;
  /**
   * Cases that run at the same time, each on its own groups.
   * @default 8
   */
  readonly concurrency?: number;
  /**
   * Called as each case ends.
   * @default none
   */
  readonly onResult?: (result: CaseResult) => void;
}

/**
 * Runs the suite against a target. Never rejects for a broken store: the report names the broken rules.
 * @param target the store under test
 * @param options which cases, and how long they run
 * @throws DtError `DT_INVALID_OPTION` for a property of the target that there is not
 * @example
 * const report = await runConformance(target);
 * if (report.failed > 0) process.exitCode = 1;
 */
export async function runConformance(
  target: StoreTarget,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const runtime = target.runtime ?? systemRuntime;
  const seed = options.seed ?? DEFAULT_SEED;
  const startMs = runtime.now();
  const results: CaseResult[] = [];
  const cases = conformanceCases(target, { seed }).filter((bound) => matches(bound, options.filter));
  await schedule(cases, options.concurrency ?? 8, async (bound) => {
    const result = await runBound(bound, () => runtime.now());
    results.push(result);
    options.onResult?.(result);
  });
  const inOrder = cases.map((bound) => results.find((result) => result.case === bound.name) as CaseResult);
  return {
    target: target.name,
    seed,
    passed: inOrder.filter((result) => result.outcome === "passed").length,
    failed: inOrder.filter((result) => result.outcome === "failed").length,
    skipped: inOrder.flatMap((result) =>
      result.outcome === "skipped" ? [{ case: result.case, why: result.why ?? "" }] : [],
    ),
    failures: inOrder.flatMap((result) => (result.failure ? [result.failure] : [])),
    ms: runtime.now() - startMs,
  };
}

/** Runs every case: those that may run together with at most `width` at a time, then those that must run alone. */
export async function schedule(
  cases: readonly ConformanceCase[],
  width: number,
  run: (bound: ConformanceCase) => Promise<void>,
): Promise<void> {
  const together = cases.filter((bound) => !bound.alone);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let bound = together[next++]; bound; bound = together[next++]) await run(bound);
  };
  await Promise.all(Array.from({ length: Math.max(1, width) }, worker));
  for (const bound of cases.filter(({ alone }) => alone)) await run(bound);
}

async function runBound(bound: ConformanceCase, now: () => number): Promise<CaseResult> {
  const { name, rule, skip } = bound;
  if (skip !== undefined) return { case: name, rule, outcome: "skipped", ms: 0, why: skip };
  const startMs = now();
  try {
    await bound.run();
    return { case: name, rule, outcome: "passed", ms: now() - startMs };
  } catch (error) {
    if (error instanceof SkippedCase) return { case: name, rule, outcome: "skipped", ms: 0, why: error.why };
    const failure = error instanceof ConformanceFailure ? error : undefined;
    return {
      case: name,
      rule,
      outcome: "failed",
      ms: now() - startMs,
      failure: {
        case: name,
        rule: failure?.rule ?? rule,
        message: failure?.message ?? String(error),
        summary: failure?.summary ?? String(error),
        history: failure?.history ?? [],
      },
    };
  }
}

/** Whether a case is one of those that `filter` chooses. */
export function matches(bound: ConformanceCase, filter: string | RegExp | undefined): boolean {
  if (filter === undefined) return true;
  const text = `${bound.rule} ${bound.name}`;
  return typeof filter === "string" ? text.toLowerCase().includes(filter.toLowerCase()) : filter.test(text);
}
