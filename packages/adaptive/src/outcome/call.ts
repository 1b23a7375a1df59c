import type { CalleeReport, Outcome } from "./outcome.ts";

/**
 * A call that was let through, to be told how it ended: once, whatever comes later does nothing. Disposed of without having been told (`using`), it counts as `ignored`.
 */
export interface Call extends Disposable {
  success(report?: CalleeReport): void;
  overload(): void;
  failure(): void;
  ignored(): void;
  settle(outcome: Outcome, report?: CalleeReport): void;
}

/** The part of every {@link Call} that is the same: it is settled once, and says so to whoever let it through. */
export abstract class SettledOnce implements Call {
  #settled = false;

  /** Hears of the outcome, once. */
  protected abstract settled(outcome: Outcome, report: CalleeReport | undefined): void;

  settle(outcome: Outcome, report?: CalleeReport): void {
    if (this.#settled) return;
    this.#settled = true;
    this.settled(outcome, report);
  }

  success(report?: CalleeReport): void {
    this.settle("success", report);
  }

  overload(): void {
    this.settle("overload");
  }

  failure(): void {
    this.settle("failure");
  }

  ignored(): void {
    this.settle("ignored");
  }

  [Symbol.dispose](): void {
    this.settle("ignored");
  }
}
