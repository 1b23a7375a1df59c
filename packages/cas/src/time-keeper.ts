import { type GroupRow, livenessTime } from "@dt/core/ledger";
import { type Head, keeperLimitMs, lagLimitMs, sameLedger } from "./head.ts";
import type { HybridClock } from "./hybrid-clock.ts";

/**
 * Reading a head that is too old, and writing it anew, is tried so often; each failure means that somebody else wrote
 * it.
 */
const ATTEMPTS = 5;

/** A head and its revision, which no later one has. */
export interface StoredHead<Revision> {
  readonly head: Head;
  readonly revision: Revision;
}

/** Where a group's head is stored. */
export interface HeadStore<Revision> {
  read(): Promise<StoredHead<Revision> | undefined>;
  /**
   * Writes a head in the place of another one; gives what is there afterwards, which is another one when another client
   * was faster.
   */
  replace(seen: Revision, head: Head): Promise<StoredHead<Revision> | undefined>;
}

/**
 * Reads a group's head and keeps the time in it fresh. A client whose answer would have a group time too far ahead of
 * the recorded one records it first. In steady state one client, the keeper, does so for all, with the request that
 * reads the head.
 */
export class TimeKeeper<Revision> {
  readonly #store: HeadStore<Revision>;
  readonly #clock: HybridClock;
  readonly #name: string;
  readonly #onRead: (head: Head) => void;
  #seen: StoredHead<Revision> | undefined;

  /**
   * @param name this client's own id
   * @param onRead receives every head that is read or written
   */
  constructor(store: HeadStore<Revision>, clock: HybridClock, name: string, onRead: (head: Head) => void = () => {}) {
    this.#store = store;
    this.#clock = clock;
    this.#name = name;
    this.#onRead = onRead;
  }

  /** The newest head that was seen. */
  get head(): Head | undefined {
    return this.#seen?.head;
  }

  /** That head's revision. */
  get revision(): Revision | undefined {
    return this.#seen?.revision;
  }

  /** True when this client keeps the time and looks for dead members. */
  get isKeeper(): boolean {
    return this.#seen?.head.keeper === this.#name;
  }

  /**
   * Reads the head, which is fresh afterwards; undefined when the group does not exist. One round trip, unless the time
   * in it was neglected. The keeper may write it without reading it first, before it is too old. For others it has
   * grown old since they last read it, but not where it is stored.
   */
  async read(): Promise<Head | undefined> {
    const seen = this.#seen;
    const askedMs = this.#clock.now();
    const wrote = seen !== undefined && this.#keepsNow(seen.head);
    this.take(wrote ? await this.#renew(seen) : await this.#store.read());
    for (let attempt = 0; this.#seen && attempt < ATTEMPTS && this.isNeglected(this.#seen.head); attempt++)
      this.take(await this.#renew(this.#seen));
    // The keeper's own write may have been refused because somebody else wrote the head, with a time that is old
    // already. Nobody has to wait for it to be written again.
    if (wrote && this.#seen && this.#seen.head.timeMs < askedMs && this.#keepsNow(this.#seen.head))
      this.#renewBehind(this.#seen);
    return this.#seen?.head;
  }

  /** Takes in a head that was read or written. */
  take(stored: StoredHead<Revision> | undefined): Head | undefined {
    this.#seen = stored;
    if (!stored) return undefined;
    this.#clock.observe(stored.head.timeMs);
    this.#onRead(stored.head);
    return stored.head;
  }

  /** True when the time in a head is too old to answer with the time that it is now, or no client keeps it. */
  isNeglected(head: Head): boolean {
    return this.#lagMs(head) > lagLimitMs(head) || this.#keeperIsGone(head);
  }

  /**
   * The head that goes with a ledger of this birth that is about to be written; undefined when the present one still
   * does.
   */
  headFor(row: GroupRow, birth: string, present: Head | undefined, writesAnyway: boolean): Head | undefined {
    const next = this.#renewed({
      birth,
      staleAfterMs: row.longestStaleMs,
      generation: row.generation,
      agreed: row.memberCount > 0 && row.adopted === row.memberCount && livenessTime(row) >= row.learnUntilMs,
      memberCount: row.memberCount,
      keeper: present?.keeper ?? "",
      keptMs: present?.keptMs ?? 0,
      intervalMs: row.intervalMs,
      quietLimitMs: row.quietLimitMs,
      pausedUntilMs: row.pausedUntilMs,
    });
    if (!present || !sameLedger(present, next) || this.isNeglected(present)) return next;
    return writesAnyway && this.#lagMs(present) > lagLimitMs(present) / 2 ? next : undefined;
  }

  /** The keeper does not wait until the time is neglected: others then never have to write it. */
  #keepsNow(head: Head): boolean {
    return head.keeper === this.#name && this.#lagMs(head) >= lagLimitMs(head) / 4;
  }

  /** The next sync reads the head anyway, and tells what went wrong. */
  #renewBehind(seen: StoredHead<Revision>): void {
    this.#renew(seen).then(
      (stored) => {
        if (stored && this.#seen === seen) this.take(stored);
      },
      () => undefined,
    );
  }

  #renew(seen: StoredHead<Revision>): Promise<StoredHead<Revision> | undefined> {
    return this.#store.replace(seen.revision, this.#renewed(seen.head));
  }

  /** The head with the time that it is now, kept by this client if it is the keeper or there is none. */
  #renewed(head: Omit<Head, "timeMs">): Head {
    const timeMs = this.#clock.now();
    const keeps = head.keeper === this.#name || this.#keeperIsGone(head);
    return { ...head, timeMs, ...(keeps && { keeper: this.#name, keptMs: timeMs }) };
  }

  #lagMs(head: Head): number {
    return this.#clock.now() - head.timeMs;
  }

  #keeperIsGone(head: Pick<Head, "keeper" | "keptMs" | "quietLimitMs">): boolean {
    return head.keeper === "" || this.#clock.now() - head.keptMs > keeperLimitMs(head);
  }
}
