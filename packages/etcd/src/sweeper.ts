import { type Head, type HybridClock, lagLimitMs, SilenceLog } from "@dt/cas";
import type { Runtime } from "@dt/core";
import type { Driver } from "./driver.ts";
import { slackMs } from "./head.ts";
import type { HeadHistory } from "./head-history.ts";
import type { GroupKeys } from "./keys.ts";
import { decodeStoredMember, type StoredMember } from "./stored.ts";

/** A member whose sign of life is missing. */
interface Absence {
  readonly lease: string;
  /** Group time by which its share has certainly lapsed, in its own epochs. */
  readonly lapsedAtMs: number;
}

/**
 * Finds members that are silent for longer than their stale age. A member's sign of life is a key that disappears when
 * its lease was not kept alive for about half the stale age; the other half the observer itself must see pass without
 * it (rule R2: after a stretch in which nobody could call, the keys of the living are missing too, and they get the
 * time to come back).
 *
 * A member that goes on with the share that it had counts its epochs on a clock that may be ahead of the observer's. So
 * its tokens are given away no earlier than its last possible epoch has ended in group time: it was at most
 * `lagLimitMs` ahead of the time that was recorded when its lease was kept alive last, and used its share for less than
 * the stale age less an interval from then on.
 */
export class Sweeper {
  readonly #driver: Driver;
  readonly #keys: GroupKeys;
  readonly #clock: HybridClock;
  readonly #history: HeadHistory;
  readonly #runtime: Runtime;
  readonly #silence = new SilenceLog();
  #absences = new Map<string, Absence>();
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(driver: Driver, keys: GroupKeys, clock: HybridClock, history: HeadHistory, runtime: Runtime) {
    this.#driver = driver;
    this.#keys = keys;
    this.#clock = clock;
    this.#history = history;
    this.#runtime = runtime;
  }

  /** True when it is time to look again: 64 times in a stale age, and with every call while somebody is missing. */
  isDue(head: Head): boolean {
    return this.#absences.size > 0 || this.#runtime.now() - this.#lastMs >= head.quietLimitMs / 16;
  }

  /**
   * Looks who is there, and gives the incarnations that must be removed. One request for a count while everybody is
   * there, otherwise a second one for the list of members.
   */
  async sweep(head: Head): Promise<readonly string[]> {
    this.#lastMs = this.#runtime.now();
    const count = await this.#driver.count(this.#keys.alive);
    const absent = count >= head.memberCount ? [] : await this.#findAbsent();
    this.#note(absent, head);
    return absent.filter((member) => this.#isStale(member)).map(({ row }) => row.incarnation);
  }

  /** How long a member has been silent as far as it is known, in milliseconds. */
  silentMs({ row, leaseMs }: StoredMember): number {
    return leaseMs + this.#silence.silentMs(row.incarnation);
  }

  async #findAbsent(): Promise<readonly StoredMember[]> {
    const { members: prefix, alive } = this.#keys;
    const [members = [], signs = []] = await this.#driver.list([
      { prefix, keysOnly: false },
      { prefix: alive, keysOnly: true },
    ]);
    const present = new Set(signs.map(({ key }) => key));
    return members
      .map(({ key, value }) => decodeStoredMember(key, value))
      .filter(({ row }) => !present.has(this.#keys.aliveOf(row.incarnation)));
  }

  #note(absent: readonly StoredMember[], head: Head): void {
    const nowMs = this.#runtime.now();
    const absences = new Map<string, Absence>();
    for (const { row, lease, leaseMs } of absent) {
      const before = this.#absences.get(row.incarnation);
      // It kept its lease alive for the last time a term of the lease ago or earlier, and was answered within the
      // slack.
      const recordedMs = this.#history.firstReadSince(nowMs - leaseMs + slackMs(head)) ?? this.#clock.now();
      const lapsedAtMs = recordedMs + lagLimitMs(head) + row.staleAfterMs - head.intervalMs;
      absences.set(row.incarnation, before?.lease === lease ? before : { lease, lapsedAtMs });
    }
    this.#absences = absences;
    this.#silence.look(new Map(absent.map(({ row, lease }) => [row.incarnation, lease])), nowMs, head.quietLimitMs);
  }

  #isStale({ row, leaseMs }: StoredMember): boolean {
    const lapsedAtMs = this.#absences.get(row.incarnation)?.lapsedAtMs ?? Number.POSITIVE_INFINITY;
    const graceMs = Math.max(row.staleAfterMs - leaseMs, row.staleAfterMs / 2);
    return this.#silence.silentMs(row.incarnation) >= graceMs && this.#clock.now() >= lapsedAtMs;
  }
}
