import { type DtError, isDtError, type Runtime, type Timer } from "@dt/core";
import { ConformanceFailure } from "./failure.ts";
import type { HistoryEntry } from "./history.ts";
import type { Violation } from "./invariants.ts";
import type { Rule } from "./rules.ts";

/** The most a case waits for something that must happen. */
const PATIENCE_MS = 10_000;
/** The most a case takes, whatever it waits for: a broken store must not make it wait for ever. */
const CASE_LIMIT_MS = 100_000;
const LIMIT_STEPS = 10;

/** What a case measures and judges with: time, waiting, its history, and checks that name the rule. */
export class CaseChecks {
  readonly rule: Rule;
  readonly history: HistoryEntry[] = [];
  readonly #runtime: Runtime;
  readonly #scale: number;
  readonly #startMs: number;
  #violation: ConformanceFailure | undefined;

  constructor(rule: Rule, runtime: Runtime, timeScale: number) {
    this.rule = rule;
    this.#runtime = runtime;
    this.#scale = timeScale;
    this.#startMs = runtime.now();
  }

  /** The first broken rule that was noticed, whether or not the case heard of it. */
  get violation(): ConformanceFailure | undefined {
    return this.#violation;
  }

  /** Milliseconds since the case began. */
  now(): number {
    return this.#runtime.now() - this.#startMs;
  }

  /** A time of the suite, on the target's scale. */
  ms(ms: number): number {
    return ms * this.#scale;
  }

  /** What is left of the longest time that a case may take. */
  get leftMs(): number {
    return this.ms(CASE_LIMIT_MS) - this.now();
  }

  /** What to give the target so that a case has this much time. */
  scaleFor(neededMs: number): string {
    return `give the target a timeScale of ${Math.ceil(neededMs / CASE_LIMIT_MS)} or more (it is ${this.#scale})`;
  }

  sleep(ms: number): Promise<void> {
    if (this.leftMs < 0)
      this.fail(
        `what the case waits for has not happened after ${this.ms(CASE_LIMIT_MS)} ms; if the store is only slow, ${this.scaleFor(2 * this.now())}`,
      );
    return new Promise((resolve) => this.#runtime.setTimer(resolve, ms));
  }

  /**
   * Repeats `attempt` every few milliseconds until it answers something other than undefined; fails with `otherwise`
   * when it does not for a long time, and often: on a machine that stood still for that time, nothing was tried.
   */
  async until<T>(attempt: () => Promise<T | undefined>, otherwise: string, everyMs = 10): Promise<T> {
    const startMs = this.now();
    const deadlineMs = startMs + this.ms(PATIENCE_MS);
    const leastAttempts = Math.min(50, PATIENCE_MS / everyMs / 10);
    for (let attempts = 1; ; attempts++) {
      const result = await attempt();
      if (result !== undefined) return result;
      const waitedMs = Math.round(this.now() - startMs);
      if (this.now() >= deadlineMs && attempts >= leastAttempts)
        this.fail(`${otherwise} (tried ${attempts} times in ${waitedMs} ms)`);
      await this.pause(everyMs);
    }
  }

  /**
   * Between two looks at a store, on the target's scale: up to three times as long on a slow one, where a look costs
   * much.
   */
  pause(ms: number): Promise<void> {
    return this.sleep(this.ms(ms) * Math.min(this.#scale, 3));
  }

  /** What the call settles to; fails as a breach of R16 when it does not settle within the limit. */
  within<T>(what: string, limitMs: number, call: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let ticks = 0;
      let timer: Timer;
      // In steps, since a machine that stands still for a while must not use up the whole limit at once.
      const wait = (): void => {
        timer = this.#runtime.setTimer(() => {
          ticks += 1;
          if (ticks < LIMIT_STEPS) wait();
          else reject(this.violated({ rule: "R16", summary: `${what} did not settle within ${limitMs} ms` }));
        }, limitMs / LIMIT_STEPS);
      };
      wait();
      call.then(resolve, reject).finally(() => timer.cancel());
    });
  }

  /** Writes a remark into the history. */
  note(text: string): void {
    this.history.push({ startMs: this.now(), endMs: this.now(), store: 0, call: "note", subject: text });
  }

  fail(summary: string, rule: Rule = this.rule): never {
    throw new ConformanceFailure(rule, summary, this.history);
  }

  that(holds: boolean, summary: string, rule: Rule = this.rule): void {
    if (!holds) this.fail(summary, rule);
  }

  equal(actual: unknown, expected: unknown, what: string, rule: Rule = this.rule): void {
    if (Object.is(actual, expected)) return;
    this.fail(`${what}\n  expected: ${JSON.stringify(expected)}\n  received: ${JSON.stringify(actual)}`, rule);
  }

  /** The call must fail with a `DtError` that has one of the codes and an effect; gives it back. */
  async refused(
    call: Promise<unknown>,
    codes: readonly string[],
    what: string,
    rule: Rule = this.rule,
  ): Promise<DtError> {
    const error = await call.then(
      (result) => this.fail(`${what} succeeded with ${JSON.stringify(result)}; expected ${codes.join(" or ")}`, rule),
      (reason: unknown) => reason,
    );
    if (error instanceof ConformanceFailure) throw error;
    if (!isDtError(error)) this.fail(`${what} failed with ${String(error)}, which is not a DtError`, rule);
    this.that(codes.includes(error.code), `${what} failed with ${error.code}; expected ${codes.join(" or ")}`, rule);
    this.that(
      error.effect === "definite" || error.effect === "unknown",
      `${what} failed with effect ${String(error.effect)}; it is either "definite" or "unknown"`,
      rule,
    );
    return error;
  }

  /** Notes a broken rule; gives the error to throw. */
  violated(violation: Violation): Error {
    const failure = new ConformanceFailure(violation.rule, violation.summary, this.history);
    this.#violation ??= failure;
    return failure;
  }
}
