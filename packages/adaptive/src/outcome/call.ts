import { type CalleeReport, checkOutcome, type Outcome } from "./outcome.ts";

/**
 * A call that was let through. It is settled once by how it ended; a later report changes nothing. Disposed of without
 * a report (`using`), it counts as `ignored`.
 */
export interface Call extends Disposable {
  /** False once it was settled. */
  readonly open: boolean;
  /**
   * It was answered. `report` is the callee's report of it, such as how long it waited there.
   * @param report what the callee reported
   */
  success(report?: CalleeReport): void;
  /** The callee, or something on the way, has too much: 429, 503, RESOURCE_EXHAUSTED, or no answer in time. */
  overload(): void;
  /** It failed for another reason. */
  failure(): void;
  /** It counts for nothing: the caller cancelled it, or never made it. */
  ignored(): void;
  /**
   * The same, with the outcome as a value.
   * @param outcome how the call ended
   * @param report what the callee reported
   * @throws DtError `DT_INVALID_OPTION` when there is no such outcome; the call is then still to be settled
   */
  settle(outcome: Outcome, report?: CalleeReport): void;
}

/**
 * The part of every {@link Call} that is the same: it is settled once, and reports that to the limiter that let it
 * through.
 */
export abstract class SettledOnce implements Call {
  #settled = false;

  /** Receives the outcome, once. */
  protected abstract settled(outcome: Outcome, report: CalleeReport | undefined): void;

  get open(): boolean {
    return !this.#settled;
  }

  settle(outcome: Outcome, report?: CalleeReport): void {
    if (this.#settled) return;
    checkOutcome(outcome);
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

/** A call that reports to a function how it ended. */
export class ReportedCall extends SettledOnce {
  readonly #tell: (outcome: Outcome) => void;

  constructor(tell: (outcome: Outcome) => void) {
    super();
    this.#tell = tell;
  }

  protected override settled(outcome: Outcome): void {
    this.#tell(outcome);
  }
}
