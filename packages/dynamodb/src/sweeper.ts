import { DamagedData, DocumentTable, type Head, type HybridClock, SilenceLog } from "@dt/cas";
import type { Runtime } from "@dt/core";
import type { MemberRow } from "@dt/core/ledger";
import type { StaleMember } from "./document-batch.ts";
import type { Beat, GroupItems, StoredLedger } from "./group-items.ts";

/** Members that are declared gone, or heartbeats of strangers that are deleted, in one sweep; the next one goes on. */
const MOST_AT_ONCE = 25;

interface KnownLedger {
  readonly version: number;
  readonly generation: number;
  readonly members: readonly MemberRow[];
}

/**
 * Finds members that are silent for longer than their stale age: whose heartbeat has kept its number for that long on
 * this observer's own clock. The times in heartbeats serve one purpose only: this client's clock is ahead of them from
 * then on, so that whatever it gives away, it gives away in later epochs than those in which the dead may have used it.
 *
 * A silent member is declared gone before it is removed, on condition that its heartbeat is still the same. From then
 * on its heartbeats are refused, and it must come back by the ledger, where its removal meets it: one of the two is
 * first. When the observer dies in between, the next one goes on from there.
 */
export class Sweeper {
  readonly #items: GroupItems;
  readonly #clock: HybridClock;
  readonly #runtime: Runtime;
  readonly #silence = new SilenceLog();
  #lastMs = Number.NEGATIVE_INFINITY;
  #dueMs = Number.NEGATIVE_INFINITY;
  #readMs = Number.NEGATIVE_INFINITY;
  #isSweeping = false;
  #ledger: KnownLedger | undefined;

  constructor(items: GroupItems, clock: HybridClock, runtime: Runtime) {
    this.#items = items;
    this.#clock = clock;
    this.#runtime = runtime;
  }

  /** Takes in a ledger that was read or written, so that it need not be read for the next sweep. */
  know(ledger: StoredLedger): void {
    if (this.#ledger && this.#ledger.version >= ledger.version) return;
    const table = new DocumentTable(ledger.text, this.#items.ledgerName);
    const generation = table.group()?.generation ?? 0;
    this.#ledger = { version: ledger.version, generation, members: table.members() };
  }

  /**
   * True when a ledger is known that is newer than a head and of another generation: whoever wrote it died before it
   * wrote its head.
   */
  isAheadOf(head: Head, version: number): boolean {
    const ledger = this.#ledger;
    return ledger !== undefined && ledger.version > version && ledger.generation !== head.generation;
  }

  /**
   * True when it is time to look again: 64 times in a stale age and when somebody's is over, or as often as this client
   * calls; not while one of its calls is looking.
   */
  isDue(head: Head): boolean {
    if (this.#isSweeping) return false;
    const nowMs = this.#runtime.now();
    return nowMs - this.#lastMs >= head.quietLimitMs / 16 || nowMs >= this.#dueMs;
  }

  /**
   * Looks who has sent anything, and gives the members to be removed. One request for each 1 MB of heartbeats; more
   * when somebody is silent.
   * @throws DtError `DT_STORE_DATA` when the ledger is damaged or missing
   */
  async sweep(head: Head, version: number): Promise<readonly StaleMember[]> {
    this.#isSweeping = true;
    try {
      return await this.#judge(await this.#look(head, version), head);
    } finally {
      this.#isSweeping = false;
    }
  }

  async #look(head: Head, version: number): Promise<readonly Beat[]> {
    const nowMs = this.#runtime.now();
    this.#lastMs = nowMs;
    const isOld = nowMs - this.#readMs >= head.quietLimitMs;
    const isWanted = isOld || !this.#ledger || this.#ledger.version < version;
    const [beats, ledger] = await Promise.all([
      this.#items.listBeats(),
      isWanted ? this.#items.readLedger() : undefined,
    ]);
    if (isWanted && !ledger) throw new DamagedData(this.#items.ledgerName, "nothing");
    if (ledger) {
      this.#readMs = nowMs;
      this.know(ledger);
    }
    for (const { timeMs } of beats) if (timeMs > 0) this.#clock.observe(timeMs);
    return beats;
  }

  async #judge(beats: readonly Beat[], head: Head): Promise<readonly StaleMember[]> {
    const members = this.#ledger?.members ?? [];
    const beatOf = new Map(beats.map((beat) => [beat.incarnation, beat]));
    const known = new Set(members.map(({ incarnation }) => incarnation));
    const marks = new Map(members.map((row) => [row.incarnation, markOf(beatOf.get(row.incarnation), row)]));
    const strangers = beats.filter(({ incarnation }) => !known.has(incarnation));
    for (const beat of strangers) marks.set(beat.incarnation, String(beat.seq));
    this.#silence.look(marks, this.#runtime.now(), head.quietLimitMs);
    this.#dueMs = this.#runtime.now() + Math.min(...members.map((row) => this.#leftMs(row)));
    // Left behind by a registration that came to nothing, or a farewell that was not finished.
    const leftBehind = strangers.filter(
      ({ incarnation }) => this.#silence.silentMs(incarnation) >= 8 * head.quietLimitMs,
    );
    for (const { incarnation, seq } of leftBehind.slice(0, MOST_AT_ONCE))
      this.#items.forget(incarnation, seq).catch(() => false);
    const silent = members.filter((row) => isGone(beatOf.get(row.incarnation), row) || this.#leftMs(row) <= 0);
    const found = await Promise.all(
      silent.slice(0, MOST_AT_ONCE).map((row) => this.#fence(row, beatOf.get(row.incarnation))),
    );
    return found.flatMap((stale) => stale ?? []);
  }

  /** How much longer a member may be silent. */
  #leftMs({ incarnation, staleAfterMs }: MemberRow): number {
    return staleAfterMs - this.#silence.silentMs(incarnation);
  }

  /** Undefined when the member has sent something after all. */
  async #fence(row: MemberRow, beat: Beat | undefined): Promise<StaleMember | undefined> {
    const { incarnation } = row;
    // Gone, or without a sign of life, it can come back only by the ledger, with a later number.
    const seq = Math.max(row.seq, beat?.seq ?? 0);
    const isOut = !beat || isGone(beat, row) || (await this.#items.fence(beat));
    return isOut ? { incarnation, seq } : undefined;
  }
}

/** Changes whenever the member sends something, be it only by the ledger. */
function markOf(beat: Beat | undefined, row: MemberRow): string {
  return `${beat?.seq} ${row.seq}`;
}

/** True when somebody has declared the member gone, and it has not come back by the ledger since. */
function isGone(beat: Beat | undefined, row: MemberRow): boolean {
  return beat?.gone === true && row.seq <= beat.seq;
}
