import { type ConformanceCase, conformanceCases } from "./bound-case.ts";
import { SkippedCase } from "./failure.ts";
import { type ConformanceOptions, matches, schedule } from "./run.ts";
import type { StoreTarget } from "./target.ts";

/** The part of a test runner that the suite needs; vitest, jest and node:test have it. */
export interface TestRunner {
  /** Groups tests under a name. */
  readonly describe: (name: string, body: () => void) => unknown;
  /** Registers one test. */
  readonly it: TestFunction;
}

/** What vitest and node:test hand to a test. */
export interface RunningTest {
  /** Ends the test as skipped: by an exception (vitest) or a mark (node:test). */
  skip(why?: string): unknown;
}

/** `it` of a test runner: called with a time limit in milliseconds, which node:test ignores. */
export interface TestFunction {
  /** Registers a test. */
  (name: string, body: (...test: unknown[]) => Promise<void>, timeoutMs?: number): unknown;
  /** Registers a test that is reported as skipped. */
  readonly skip: (name: string, body: () => Promise<void>) => unknown;
}

/**
 * The longest that a runner waits for one case; the cases' own deadlines end earlier, with a message that says what was
 * waited for.
 */
const CASE_LIMIT_MS = 120_000;

/**
 * Makes a test of every case, in your own test runner. The cases run together, as far as they may, from the moment the
 * first test runs; each test reports its own case.
 * @param options `filter`: only these cases; `seed` and `concurrency`: as for {@link runConformance}
 * @param runner `describe` and `it` of the test runner
 * @param target the store under test
 * @example
 * import { describe, it } from "vitest";
 * import { conformance } from "@dt/conformance";
 * conformance({ describe, it }, { name: "mine", capabilities, createStore: () => new MyStore() });
 */
export function conformance(
  runner: TestRunner,
  target: StoreTarget,
  options: Pick<ConformanceOptions, "filter" | "seed" | "concurrency"> = {},
): void {
  const { describe, it } = runner;
  const cases = conformanceCases(target, options).filter((bound) => matches(bound, options.filter));
  let running: ReadonlyMap<ConformanceCase, Promise<void>> | undefined;
  describe(`${target.name} keeps the store contract`, () => {
    for (const bound of cases) {
      const name = `${bound.rule}: ${bound.name}`;
      if (bound.skip !== undefined) {
        it.skip(`${name} (skipped: ${bound.skip})`, async () => {});
        continue;
      }
      const body = async (...test: unknown[]): Promise<void> => {
        running ??= startAll(cases, options.concurrency ?? 8);
        try {
          await running.get(bound);
        } catch (error) {
          if (!(error instanceof SkippedCase)) throw error;
          skipRunning(test[0], error.why);
        }
      };
      it(name, body, CASE_LIMIT_MS * (target.timeScale ?? 1));
    }
  });
}

/** Jest cannot skip a test that runs: there the target says `permits: false`. */
function skipRunning(test: unknown, why: string): void {
  const { skip } = (test ?? {}) as Partial<RunningTest>;
  if (typeof skip === "function") skip.call(test, why);
}

/** Starts every case that runs, and gives the outcome of each as a promise of its own. */
function startAll(cases: readonly ConformanceCase[], width: number): ReadonlyMap<ConformanceCase, Promise<void>> {
  const outcomes = new Map<ConformanceCase, Promise<void>>();
  const starts = new Map<ConformanceCase, () => Promise<void>>();
  const runnable = cases.filter((bound) => bound.skip === undefined);
  for (const bound of runnable) {
    const outcome = new Promise<void>((resolve, reject) => {
      starts.set(bound, () => bound.run().then(resolve, reject));
    });
    // A runner that has not asked for this case yet must not see an unhandled rejection.
    outcome.catch(() => {});
    outcomes.set(bound, outcome);
  }
  void schedule(runnable, width, (bound) => (starts.get(bound) as () => Promise<void>)());
  return outcomes;
}
