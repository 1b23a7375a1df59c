import { MemoryTable } from "@dt/core/testing";

/** The rows of a group, as core keeps them in memory; a copy is what a failover that loses writes goes back to. */
export class SimTable extends MemoryTable {
  readonly #remembered = new Map<string, { readonly level: number; readonly untilMs: number }>();

  override rememberLevel(id: string, level: number, untilMs: number, nowMs: number): void {
    super.rememberLevel(id, level, untilMs, nowMs);
    this.#remembered.set(id, { level, untilMs });
  }

  clone(): SimTable {
    const copy = new SimTable();
    const row = this.group();
    if (row) copy.replace(row, this.members());
    for (const [id, { level, untilMs }] of this.#remembered)
      copy.rememberLevel(id, level, untilMs, Number.NEGATIVE_INFINITY);
    return copy;
  }
}
