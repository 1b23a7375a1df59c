import type { Runtime } from "@dt/core";

/** The most by which a process's clock may be ahead of the time that it finds recorded: it goes back to that. */
export const LONGEST_LEAD_MS = 500;

/** A document's time as a process recorded it. */
export interface RecordedTime {
  readonly timeMs: number;
  /** This record's own id, which no other of the document has. */
  readonly mark: string;
  /** True when this process made the record. */
  readonly isOwn: boolean;
}

/**
 * A document's time as one process knows it, for stores without a clock of their own: a key's of permits, a budget's.
 * It runs at the rate of the process's monotonic clock, and every operation on the document records it. A process that
 * reads a record
 *
 * - is not behind it, nor behind the time that it has seen pass since, so that the document's time never goes back;
 * - is at most {@link LONGEST_LEAD_MS} ahead of that, unless the record is its own.
 *
 * Instants are counted on this clock, so those of permits are spaced exactly. In real time, two permits come closer by
 * as much as the later holder's clock is ahead of the earlier one's. By the second rule that is never more than the
 * lead, even for a process that stood still, crashed or came back after an hour. Among processes that use the document
 * all the time it is about as long as a call. By the first rule each of them is as far as the last writer whenever it
 * reads. No wall clock is used.
 *
 * A process that finds itself further ahead than the lead stays ahead by it, or goes back to the record. Where many
 * processes stay ahead one after the other, time is too fast by the sum of their leads. Two permits are no closer for
 * that, but the windows of budgets would be shorter.
 */
export class DocumentClock {
  readonly #runtime: Runtime;
  readonly #staysAhead: boolean;
  /** The document's time at a local time; only this process's idea of it while nothing is recorded. */
  #timeMs = 0;
  #atMs = 0;
  #known = false;
  #leastMs = 0;
  #mark: string | undefined;
  #seenAtMs = 0;

  /** @param staysAhead false where a process that is too far ahead goes back to the record */
  constructor(runtime: Runtime, staysAhead = true) {
    this.#runtime = runtime;
    this.#staysAhead = staysAhead;
  }

  /** The document's time in milliseconds, once there is one: {@link begin} or {@link observe} come first. */
  now(): number {
    const timeMs = this.#timeMs + (this.#runtime.now() - this.#atMs);
    // Whole microseconds: shorter as text.
    return Math.max(this.#leastMs, Math.floor(timeMs * 1_000) / 1_000);
  }

  /** Nothing is recorded: the document's time goes on as this process knows it, or begins. */
  begin(): void {
    if (this.#known) return;
    this.#atMs = this.#runtime.now();
    this.#timeMs = Math.max(0, this.#atMs);
  }

  /** Takes in a record that was read. */
  observe(record: RecordedTime): void {
    const nowMs = this.#runtime.now();
    const timeMs = this.timeOf(record, nowMs);
    if (record.mark !== this.#mark) this.#see(record.mark, nowMs);
    this.#known = true;
    this.#timeMs = timeMs;
    this.#atMs = nowMs;
    this.#leastMs = record.timeMs;
  }

  /**
   * What {@link now} would be after {@link observe}, taking in nothing: a look may be answered after a newer record.
   */
  timeOf({ timeMs, mark, isOwn }: RecordedTime, nowMs: number = this.#runtime.now()): number {
    const seenAtMs = mark === this.#mark ? this.#seenAtMs : nowMs;
    const earliestMs = timeMs + (nowMs - seenAtMs);
    const latestMs = isOwn && this.#known ? Number.POSITIVE_INFINITY : earliestMs + LONGEST_LEAD_MS;
    const ownMs = this.#known ? this.now() : earliestMs;
    if (ownMs > latestMs) return this.#staysAhead ? latestMs : earliestMs;
    return Math.max(ownMs, earliestMs);
  }

  /** Takes in a record that this process has made of a time that it was by this clock. */
  recorded(timeMs: number, mark: string): void {
    this.#see(mark, this.#atMs + (timeMs - this.#timeMs));
    this.#known = true;
    this.#leastMs = timeMs;
  }

  #see(mark: string, atMs: number): void {
    this.#mark = mark;
    this.#seenAtMs = atMs;
  }
}
