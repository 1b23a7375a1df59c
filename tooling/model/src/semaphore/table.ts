import type { SlotHint } from "@dt/core";
import {
  countOf,
  type Extremes,
  extremesOf,
  type GroupRow,
  type LedgerTable,
  type MemberCount,
  type MemberRow,
  type SlotRow,
  type SlotTable,
  smallestMaxOf,
} from "@dt/core/ledger";
import type { SlotWorld } from "./world.ts";

/** The rows of a world as the table that core's ledger works on. Rows go in and out as copies. */
export class SlotWorldTable implements LedgerTable {
  readonly slots?: SlotTable;
  readonly #world: SlotWorld;

  constructor(world: SlotWorld, queue: boolean) {
    this.#world = world;
    if (queue) this.slots = new WorldSlots(world);
  }

  group(): GroupRow | undefined {
    return this.#world.group && { ...this.#world.group };
  }

  putGroup(row: GroupRow): void {
    // Every stretch counts as silence, however long: without the rule of quiet stretches members go stale sooner.
    this.#world.group = { ...row, quietLimitMs: Number.POSITIVE_INFINITY };
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
    this.#world.slots[Number(row.incarnation)] = undefined;
  }

  holderOf(id: string): MemberRow | undefined {
    return this.#present().find((row) => row.id === id && row.standing === "holder");
  }

  memberAtRank(rank: number): MemberRow | undefined {
    return this.#present().find((row) => row.rank === rank);
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
    return this.#world.rows.flatMap((row) => (row ? [{ ...row }] : []));
  }
}

class WorldSlots implements SlotTable {
  readonly hints: (readonly [string, SlotHint])[] = [];
  readonly #world: SlotWorld;

  constructor(world: SlotWorld) {
    this.#world = world;
  }

  slotsOf(incarnation: string): SlotRow | undefined {
    const row = this.#world.slots[Number(incarnation)];
    return row && { ...row };
  }

  putSlots(row: SlotRow): void {
    this.#world.slots[Number(row.incarnation)] = { ...row };
  }

  queued(most: number): readonly SlotRow[] {
    return this.#present()
      .filter(({ sinceMs }) => sinceMs !== null)
      .sort((a, b) => a.tier - b.tier || (a.sinceMs as number) - (b.sinceMs as number) || byName(a, b))
      .slice(0, most);
  }

  mostHeld(most: number): readonly SlotRow[] {
    return this.#present()
      .sort((a, b) => b.held - a.held || byName(a, b))
      .slice(0, most);
  }

  hint(incarnation: string, hint: SlotHint): void {
    this.hints.push([incarnation, hint]);
  }

  #present(): SlotRow[] {
    return this.#world.slots.flatMap((row) => (row ? [{ ...row }] : []));
  }
}

function byName(a: SlotRow, b: SlotRow): number {
  return a.incarnation < b.incarnation ? -1 : 1;
}
