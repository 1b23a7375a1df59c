import {
  countOf,
  DamagedData,
  type Extremes,
  extremesOf,
  type GroupRow,
  type MemberCount,
  type MemberRow,
  newerData,
  PRUNE_LIMIT,
  type RepairTable,
  type Stored,
} from "@dt/core/ledger";

/** The group's own row, among the names of rows. */
export const GROUP = "";

/** One group, kept as plainly as can be, so that a mutant is a small override. */
export class PlainTable implements RepairTable {
  /** Rows that are not readable any more: by the member's incarnation, or {@link GROUP}. */
  readonly spoiled = new Set<string>();
  /** True while the group's own row is of a newer version. */
  newer = false;
  /** Incarnations that a mutant remembers. */
  readonly marked = new Set<string>();
  row: GroupRow | undefined;
  readonly rows = new Map<string, MemberRow>();
  readonly levels = new Map<string, { readonly level: number; readonly untilMs: number }>();

  group(): GroupRow | undefined {
    if (this.newer) throw newerData("the simulated row of the group", 2, 1);
    this.#check(GROUP);
    return this.row && { ...this.row };
  }

  putGroup(row: GroupRow): void {
    this.row = { ...row };
  }

  member(incarnation: string): MemberRow | undefined {
    this.#check(incarnation);
    const row = this.rows.get(incarnation);
    return row && { ...row };
  }

  putMember(row: MemberRow): void {
    this.rows.set(row.incarnation, { ...row });
  }

  deleteMember(row: MemberRow): void {
    this.rows.delete(row.incarnation);
  }

  holderOf(id: string): MemberRow | undefined {
    return this.#find((row) => row.id === id && row.standing === "holder");
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.#find((row) => row.rank === rank);
  }

  expired(livenessMs: number): readonly MemberRow[] {
    return this.members()
      .filter((row) => row.expiresAtMs <= livenessMs)
      .slice(0, PRUNE_LIMIT);
  }

  smallestMax(): number | undefined {
    const members = this.members();
    return members.length === 0 ? undefined : Math.min(...members.map((row) => row.max));
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.members());
  }

  count(): MemberCount | undefined {
    return countOf(this.members());
  }

  members(): readonly MemberRow[] {
    return [...this.rows.keys()].map((name) => this.member(name) as MemberRow).sort((a, b) => a.rank - b.rank);
  }

  storedGroup(): Stored<GroupRow> | undefined {
    return this.row && { read: () => this.group() as GroupRow };
  }

  storedMembers(): readonly Stored<MemberRow>[] {
    return [...this.rows.keys()].map((name) => ({ read: () => this.member(name) as MemberRow }));
  }

  replace(row: GroupRow, members: readonly MemberRow[]): void {
    this.spoiled.clear();
    this.rows.clear();
    this.newer = false;
    this.putGroup(row);
    for (const member of members) this.putMember(member);
  }

  rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    for (const [other, remembered] of this.levels) if (remembered.untilMs <= nowMs) this.levels.delete(other);
    this.levels.set(id, { level, untilMs });
  }

  rememberedLevel(id: string, nowMs: number): number | undefined {
    const remembered = this.levels.get(id);
    return remembered && remembered.untilMs > nowMs ? remembered.level : undefined;
  }

  clone(): PlainTable {
    const copy = new PlainTable();
    copy.become(this);
    return copy;
  }

  /** Takes over the content of another table. */
  become(other: PlainTable): void {
    this.row = other.row && { ...other.row };
    this.newer = other.newer;
    this.spoiled.clear();
    for (const name of other.spoiled) this.spoiled.add(name);
    this.rows.clear();
    for (const row of other.rows.values()) this.putMember(row);
    this.levels.clear();
    for (const [id, level] of other.levels) this.levels.set(id, level);
  }

  #find(matches: (row: MemberRow) => boolean): MemberRow | undefined {
    return this.members().find(matches);
  }

  #check(name: string): void {
    if (this.spoiled.has(name)) throw new DamagedData(`the simulated row of ${name || "the group"}`, "nonsense");
  }
}
