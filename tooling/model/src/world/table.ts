import {
  countOf,
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type MemberCount,
  type MemberRow,
  smallestMaxOf,
} from "@dt/core/ledger";
import type { World } from "./world.ts";

/** The world's rows as the table that core's ledger works on. Rows go in and out as copies, as in `MemoryTable`. */
export class WorldTable implements LedgerTable {
  readonly #world: World;
  readonly #quietRule: boolean;

  constructor(world: World, quietRule: boolean) {
    this.#world = world;
    this.#quietRule = quietRule;
  }

  group(): GroupRow | undefined {
    return this.#world.group && { ...this.#world.group };
  }

  putGroup(row: GroupRow): void {
    // Without the quiet rule every stretch counts as silence, however long: the bound that the ledger keeps in its row
    // is taken away.
    this.#world.group = this.#quietRule ? { ...row } : { ...row, quietLimitMs: Number.POSITIVE_INFINITY };
  }

  member(incarnation: string): MemberRow | undefined {
    const row = this.#world.rows[Number(incarnation)];
    return row && { ...row };
  }

  putMember(row: MemberRow): void {
    this.#world.rows[Number(row.incarnation)] = { ...row };
  }

  deleteMember(row: MemberRow): void {
    this.#world.rows[Number(row.incarnation)] = undefined;
  }

  holderOf(id: string): MemberRow | undefined {
    const row = this.member(id);
    return row?.standing === "holder" ? row : undefined;
  }

  memberAtRank(rank: number): MemberRow | undefined {
    const row = this.#world.rows.find((row) => row?.rank === rank);
    return row && { ...row };
  }

  expired(livenessMs: number): readonly MemberRow[] {
    return this.#present().filter((row) => row.expiresAtMs <= livenessMs);
  }

  smallestMax(): number | undefined {
    return smallestMaxOf(this.#present());
  }

  extremes(): Extremes | undefined {
    return extremesOf(this.#present());
  }

  count(): MemberCount {
    return countOf(this.#present());
  }

  members(): readonly MemberRow[] {
    return this.#present().sort((a, b) => a.rank - b.rank);
  }

  rememberLevel(): void {}

  rememberedLevel(): undefined {
    return undefined;
  }

  #present(): MemberRow[] {
    const rows: MemberRow[] = [];
    for (const row of this.#world.rows) if (row) rows.push({ ...row });
    return rows;
  }
}
