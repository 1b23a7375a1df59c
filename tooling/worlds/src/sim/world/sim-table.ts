import type { Extremes, GroupRow, LedgerTable, MemberCount, MemberRow } from "@dt/core/ledger";
import { countOf, extremesOf } from "./sums.ts";

/** The most members one operation removes; the contract's figure. */
const PRUNE_LIMIT = 1_000;

/**
 * One group's rows, which can be copied whole: what a failover that loses writes goes back to. Rows go in and out as
 * copies.
 */
export class SimTable implements LedgerTable {
  #group: GroupRow | undefined;
  readonly #members = new Map<string, MemberRow>();
  readonly #ranks: string[] = [];
  readonly #ids = new Map<string, string>();
  readonly #levels = new Map<string, { readonly level: number; readonly untilMs: number }>();
  /** A lower bound of every `expiresAtMs`, so that a heartbeat need not look at every member. */
  #expiryFloorMs = Number.POSITIVE_INFINITY;

  clone(): SimTable {
    const copy = new SimTable();
    copy.#group = this.group();
    for (const row of this.#members.values()) copy.putMember(row);
    for (const [id, level] of this.#levels) copy.#levels.set(id, level);
    return copy;
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
      else floorMs = Math.min(floorMs, row.expiresAtMs);
    }
    this.#expiryFloorMs = floorMs;
    return rows;
  }

  smallestMax(): number | undefined {
    let smallest: number | undefined;
    for (const row of this.#members.values()) if (smallest === undefined || row.max < smallest) smallest = row.max;
    return smallest;
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.#members.values());
  }

  count(): MemberCount {
    return countOf(this.#members.values());
  }

  members(): readonly MemberRow[] {
    return this.#ranks.map((incarnation) => this.member(incarnation) as MemberRow);
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
