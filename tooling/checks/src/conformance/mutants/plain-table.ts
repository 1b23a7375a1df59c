import { DamagedData, type GroupRow, type MemberRow, newerData, type RepairTable, type Stored } from "@dt/core/ledger";
import { ReferenceTable } from "@dt-tooling/simulator/reference-table";
import { PlainSlots } from "./plain-slots.ts";

/** The group's own row, among the names of rows. */
export const GROUP = "";

/** One group, kept as plainly as can be, so that a mutant is a small override. */
export class PlainTable extends ReferenceTable implements RepairTable {
  override readonly slots: PlainSlots = new PlainSlots();
  /** Rows that are not readable any more: by the member's incarnation, or {@link GROUP}. */
  readonly spoiled = new Set<string>();
  /** True while the group's own row is of a newer version. */
  newer = false;
  /** Incarnations that a mutant remembers. */
  readonly marked = new Set<string>();

  override group(): GroupRow | undefined {
    if (this.newer) throw newerData("the simulated row of the group", 2, 1);
    this.#check(GROUP);
    return super.group();
  }

  override member(incarnation: string): MemberRow | undefined {
    this.#check(incarnation);
    return super.member(incarnation);
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
    this.slots.rows.clear();
    this.slots.hints = [];
    this.newer = false;
    this.putGroup(row);
    for (const member of members) this.putMember(member);
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
    this.slots.become(other.slots);
  }

  #check(name: string): void {
    if (this.spoiled.has(name)) throw new DamagedData(`the simulated row of ${name || "the group"}`, "nonsense");
  }
}
