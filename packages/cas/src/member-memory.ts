import type { MemberView, Report, View } from "@dt/core";
import { type GroupRow, type MemberRow, viewOf } from "@dt/core/ledger";
import type { Head } from "./head.ts";
import { bringsNews } from "./unrecorded.ts";

/** The last answer from the ledger, with the rows that it came from. */
interface Answer {
  readonly view: View;
  /** The birth of that ledger. */
  readonly birth: string;
  readonly group: GroupRow;
  readonly member: MemberRow;
}

/**
 * What a client remembers of a member that it speaks for, so that a heartbeat without news need not touch the ledger.
 */
export class MemberMemory {
  staleAfterMs: number;
  #seq = 0;
  #answer: Answer | undefined;
  /** The level that is recorded, and the group time at which a report was recorded for its sake. */
  #level: number | null = null;
  #levelAtMs = Number.NEGATIVE_INFINITY;

  constructor(staleAfterMs: number) {
    this.staleAfterMs = staleAfterMs;
  }

  /** True once the ledger has answered that another incarnation has the id. */
  get isFenced(): boolean {
    return this.#answer?.member.standing === "fenced";
  }

  /** The state of the limit record that the group's copy is of (R36), as it was last; undefined without a copy. */
  get copied(): number | undefined {
    return this.#answer?.group.stored?.revision;
  }

  /**
   * Notes a request's number, which mere heartbeats leave nowhere else. True when a newer request was there already.
   */
  overtakes(seq: number): boolean {
    const overtaken = seq <= this.#seq;
    this.#seq = Math.max(this.#seq, seq);
    return overtaken;
  }

  /** Takes over the ledger's record of a member that came by another client. */
  recall(row: MemberRow): void {
    this.#seq = Math.max(this.#seq, row.seq);
    this.#level = row.level;
    this.staleAfterMs = row.staleAfterMs;
  }

  /** Takes in an answer from the ledger. `recorded` is false when the rows have more than the store. */
  remember(answer: Answer, recorded: boolean, forItsLevel: boolean): void {
    this.#answer = answer;
    this.staleAfterMs = answer.member.staleAfterMs;
    if (recorded) this.#level = answer.member.level;
    if (recorded && forItsLevel) this.#levelAtMs = answer.group.lastMs;
  }

  /**
   * The last answer again, at the time that it is now; undefined when there is news for the ledger or from it.
   */
  repeat(report: Report, head: Head, nowMs: number): MemberView | undefined {
    if (!this.#answer) return undefined;
    const { view, birth, group, member } = this.#answer;
    if (head.birth !== birth) return undefined;
    if (view.status !== "agree" || !head.agreed || head.generation !== view.generation) return undefined;
    if (bringsNews(group, member, report) || (report.observedMs ?? 0) > nowMs) return undefined;
    return viewOf({ ...group, lastMs: nowMs, pausedUntilMs: head.pausedUntilMs }, member, true);
  }

  /**
   * A level is recorded for the case that its member crashes: the first one at once, later ones twice in a stale age.
   */
  isLevelDue({ level }: Report, nowMs: number): boolean {
    if (!this.#answer || this.#answer.member.resumeWithinMs === 0 || this.#level === level) return false;
    return nowMs - this.#levelAtMs >= this.staleAfterMs / 2;
  }
}
