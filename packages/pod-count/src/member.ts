import type { GroupSnapshot, MemberView, Registration, Report } from "@dt/core";
import { fairOf, firstSafeEpoch } from "@dt/core/ledger";
import type { ObservedMembers } from "./members/observed-members.ts";

/**
 * This process's membership in one group: what it declared, and the View that follows from the observed members. Other
 * members are never heard of; the generation is this observer's own count of changes.
 */
export class Member {
  readonly incarnation: string;
  readonly #id: string;
  readonly #intervalMs: number;
  readonly #staleAfterMs: number;
  readonly #clockErrorMs: number;
  readonly #joinedAtMs: number;
  #seq: number;
  #max: number;
  #level: number | null;
  #reported = { generation: 0, members: 0, held: 0 };
  #heardAtMs: number;
  /** Since when others have had the time to count this member; undefined until it is confirmed. */
  #countedSinceMs: number | undefined;
  /** The fleet's `confirmedSinceMs` that `#countedSinceMs` takes account of. */
  #confirmedSinceMs: number | undefined;
  #confirmedUntilMs = Number.NEGATIVE_INFINITY;
  #generation = 0;
  #seen = "";
  #starvedAt = 0;

  constructor(registration: Registration, nowMs: number, observed: ObservedMembers) {
    this.incarnation = registration.incarnation;
    this.#id = registration.id;
    this.#intervalMs = registration.intervalMs;
    this.#staleAfterMs = registration.staleAfterMs;
    this.#clockErrorMs = registration.clockErrorMs ?? 0;
    this.#seq = registration.seq;
    this.#max = registration.max;
    this.#level = registration.level;
    this.#joinedAtMs = nowMs;
    this.#heardAtMs = nowMs;
    // A longer settle time than before: names that were missing for less than that may be forgotten already, so it is
    // waited for from now on.
    const longer = observed.serve(registration.staleAfterMs);
    this.#confirmedSinceMs = observed.confirmedSinceMs;
    if (this.#confirmedSinceMs !== undefined) this.#countedSinceMs = longer ? nowMs : this.#confirmedSinceMs;
  }

  /** True when nothing was heard of it for its stale age: its throttle was dropped without a farewell. */
  isStale(nowMs: number): boolean {
    return nowMs >= this.#heardAtMs + this.#staleAfterMs;
  }

  /** Takes a report, unless a newer one has been taken (R11). */
  hear(report: Pick<Report, "seq" | "max" | "level"> & Partial<Report>, nowMs: number): void {
    if (report.seq <= this.#seq) return;
    const { generation = 0, members = 0, held = 0 } = report;
    this.#seq = report.seq;
    this.#max = report.max;
    this.#level = report.level;
    this.#reported = { generation, members, held };
    this.#heardAtMs = nowMs;
  }

  /**
   * What this member may use now.
   * @throws DtError when the fleet cannot be relied on
   */
  view(observed: ObservedMembers, nowMs: number): MemberView {
    const problem = observed.problem(nowMs);
    if (problem) throw problem;
    this.#noticeConfirmation(observed);
    const { settleMs } = observed;
    const { memberCount, rank, changedAtMs } = observed.count(nowMs);
    const settled = this.#countedSinceMs !== undefined && nowMs >= this.#countedSinceMs + settleMs;
    // Everybody who is granted anything counts at least all the others who are (the README has the argument), so that
    // members who count differently for a while still share no token of an exact split: it need not wait for a change
    // to reach all of them.
    const exact = settled && rank !== undefined;
    const { fair, most } = fairOf({ capacity: this.#max, memberCount });
    const entitled = settled ? fair : 0;
    this.#count(`${memberCount} ${rank} ${changedAtMs} ${this.#max}`, nowMs);
    return {
      status: exact ? "agree" : "disagree",
      generation: this.#generation,
      members: memberCount,
      reportedMembers: memberCount,
      rank: rank ?? 0,
      held: exact ? most : entitled,
      entitled,
      fromEpoch: firstSafeEpoch(nowMs, this.#clockErrorMs, this.#intervalMs),
      // Nobody says what others have used: what is new waits for the next epoch.
      early: 0,
      capacity: this.#max,
      clockErrorMs: this.#clockErrorMs,
      storeTimeMs: nowMs,
      groupAgeMs: nowMs - this.#joinedAtMs,
      learning: !settled,
      resumeLevel: null,
    };
  }

  /** True once for each member count at which there are fewer tokens than members. */
  starves({ capacity, members }: MemberView): boolean {
    const starves = fairOf({ capacity, memberCount: members }).fair === 0;
    const news = starves && members !== this.#starvedAt;
    this.#starvedAt = starves ? members : 0;
    return news;
  }

  /** What is known of the group: its size, and this member. */
  snapshot(group: string, observed: ObservedMembers, nowMs: number): GroupSnapshot {
    const { memberCount, rank } = observed.count(nowMs);
    const { generation, members, held } = this.#reported;
    return {
      group,
      generation: this.#generation,
      capacity: this.#max,
      memberCount,
      adopted: generation === this.#generation ? 1 : 0,
      held,
      intervalMs: this.#intervalMs,
      storeTimeMs: nowMs,
      groupAgeMs: nowMs - this.#joinedAtMs,
      learning: this.#countedSinceMs === undefined || nowMs < this.#countedSinceMs + observed.settleMs,
      members: [
        {
          id: this.#id,
          incarnation: this.incarnation,
          rank: rank ?? 0,
          max: this.#max,
          level: this.#level,
          silentMs: nowMs - this.#heardAtMs,
          fenced: false,
          generation,
          memberCount: members,
          held,
        },
      ],
    };
  }

  /**
   * While this member was out of its own sight, others may have stopped to count it, but no sooner than the settle
   * time after the last answer that listed it was true, which was at most the lag before that answer was no longer
   * fresh. After a longer gap it is a newcomer again.
   */
  #noticeConfirmation(observed: ObservedMembers): void {
    const { confirmedSinceMs } = observed;
    if (confirmedSinceMs !== this.#confirmedSinceMs && confirmedSinceMs !== undefined) {
      const gapMs = confirmedSinceMs - this.#confirmedUntilMs;
      if (gapMs > Math.max(0, observed.settleMs - observed.lagMs)) this.#countedSinceMs = confirmedSinceMs;
      this.#confirmedSinceMs = confirmedSinceMs;
    }
    this.#confirmedUntilMs = observed.confirmedUntilMs;
  }

  #count(seen: string, nowMs: number): void {
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#generation = Math.max(this.#generation + 1, Math.floor(nowMs));
  }
}
