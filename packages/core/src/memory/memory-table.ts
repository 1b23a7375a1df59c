import { isNews } from "../ledger/news.ts";
import { isPauseNews } from "../ledger/pause.ts";
import type { RepairTable, Stored } from "../ledger/repair.ts";
import {
  countOf,
  type Extremes,
  extremesOf,
  type GroupRow,
  type MemberCount,
  type MemberRow,
  PRUNE_LIMIT,
  smallestMaxOf,
} from "../ledger/table.ts";
import type { LimitRecordHead } from "../limits/limit-row.ts";
import { MemorySlots } from "./memory-slots.ts";

/**
 * One group in memory. Rows are copied in and out, so that a half-done operation cannot leave a half-changed row
 * behind. Look-ups are O(1), except that the first expiry and what the members declare are found by a scan: the former
 * at most once per stale age and removal (`#expiryFloorMs` is a lower bound that heartbeats can only push later), the
 * latter only when the membership changes.
 */
export class MemoryTable implements RepairTable {
  readonly slots: MemorySlots = new MemorySlots();
  #group: GroupRow | undefined;
  #before: GroupRow | undefined;
  readonly #members = new Map<string, MemberRow>();
  readonly #ids = new Map<string, string>();
  readonly #ranks: string[] = [];
  readonly #levels = new Map<string, { readonly level: number; readonly untilMs: number }>();
  readonly #limit: () => LimitRecordHead | undefined;
  #expiryFloorMs = Number.POSITIVE_INFINITY;

  /** @param limit the group's limit record; left out where there is none */
  constructor(limit: () => LimitRecordHead | undefined = () => undefined) {
    this.#limit = limit;
  }

  /** Called before each operation. */
  begin(): this {
    this.#before = this.#group;
    this.slots.begin();
    return this;
  }

  get newsworthy(): boolean {
    return isNews(this.#before, this.#group);
  }

  get newlyPaused(): boolean {
    return isPauseNews(this.#before, this.#group);
  }

  group(): GroupRow | undefined {
    return this.#group && { ...this.#group };
  }

  putGroup(row: GroupRow): void {
    this.#group = { ...row };
  }

  member(incarnation: string): MemberRow | undefined {
    const row = this.#members.get(incarnation);
    return row && { ...row };
  }

  putMember(row: MemberRow): void {
    this.#members.set(row.incarnation, { ...row });
    this.#ranks[row.rank] = row.incarnation;
    if (row.standing === "holder") this.#ids.set(row.id, row.incarnation);
    else if (this.#ids.get(row.id) === row.incarnation) this.#ids.delete(row.id);
    this.#expiryFloorMs = Math.min(this.#expiryFloorMs, row.expiresAtMs);
  }

  deleteMember(row: MemberRow): void {
    this.#members.delete(row.incarnation);
    this.slots.delete(row.incarnation);
    if (this.#ids.get(row.id) === row.incarnation) this.#ids.delete(row.id);
    this.#ranks.length = this.#members.size;
  }

  holderOf(id: string): MemberRow | undefined {
    const incarnation = this.#ids.get(id);
    return incarnation === undefined ? undefined : this.member(incarnation);
  }

  memberAtRank(rank: number): MemberRow | undefined {
    const incarnation = this.#ranks[rank];
    return incarnation === undefined ? undefined : this.member(incarnation);
  }

  expired(livenessMs: number): readonly MemberRow[] {
    if (livenessMs < this.#expiryFloorMs) return [];
    const rows: MemberRow[] = [];
    let floorMs = Number.POSITIVE_INFINITY;
    for (const row of this.#members.values()) {
      if (row.expiresAtMs <= livenessMs && rows.length < PRUNE_LIMIT) rows.push({ ...row });
      // Also those given back: the caller may be among them and stays, and a fenced caller writes no heartbeat.
      floorMs = Math.min(floorMs, row.expiresAtMs);
    }
    this.#expiryFloorMs = floorMs;
    return rows;
  }

  smallestMax(): number | undefined {
    return smallestMaxOf(this.#members.values());
  }

  hasStored(): boolean {
    return [...this.#members.values()].some(({ max }) => max === null);
  }

  limit(): LimitRecordHead | undefined {
    return this.#limit();
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.#members.values());
  }

  count(): MemberCount {
    return countOf([...this.#members.values()]);
  }

  members(): readonly MemberRow[] {
    return this.#ranks.map((incarnation) => this.member(incarnation) as MemberRow);
  }

  storedGroup(): Stored<GroupRow> | undefined {
    const row = this.group();
    return row && { read: () => row };
  }

  storedMembers(): readonly Stored<MemberRow>[] {
    return [...this.#members.values()].map((row) => ({ read: () => ({ ...row }) }));
  }

  replace(row: GroupRow, members: readonly MemberRow[]): void {
    this.putGroup(row);
    this.#members.clear();
    this.slots.clear();
    this.#ids.clear();
    this.#ranks.length = 0;
    for (const member of members) this.putMember(member);
  }

  /** Group time at which the last level is forgotten; 0 when none is remembered. */
  get levelsUntilMs(): number {
    return [...this.#levels.values()].reduce((latest, { untilMs }) => Math.max(latest, untilMs), 0);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    for (const [other, remembered] of this.#levels) if (remembered.untilMs <= nowMs) this.#levels.delete(other);
    this.#levels.set(id, { level, untilMs });
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.#levels.get(id);
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }
}
