import { groupEssence, memberEssence } from "@dt/cas";
import { deregister } from "@dt/core/ledger";
import { compareTables, type TableUnderTest } from "@dt-tooling/simulator/hybrid";
import { expect, it } from "vitest";
import { Cells } from "../src/cells.ts";
import type { Entry } from "../src/driver.ts";
import { groupKeys } from "../src/keys.ts";
import { RowTable } from "../src/row-table.ts";

/** Keys in a map, all of them read. */
class KeysInAMap implements TableUnderTest {
  readonly entries = new Map<string, Entry>();
  readonly #keys = groupKeys("dt", "g");
  #cells: Cells | undefined;

  begin(stale: readonly string[]): RowTable {
    const everything = { has: () => true } as unknown as ReadonlySet<string>;
    this.#cells = new Cells(everything, this.entries);
    return new RowTable(this.#keys, this.#cells, 0, stale, "birth");
  }

  end(table: RowTable): void {
    const { puts, deletes } = (this.#cells as Cells).writes();
    const [before, changed] = [this.#essence(), table.changed];
    for (const { key, value } of puts) this.entries.set(key, { key, value, revision: "1" });
    for (const key of deletes) this.entries.delete(key);
    // What may go unrecorded is nothing but times, levels and numbers of heartbeats.
    expect(this.#essence() !== before).toBe(changed);
  }

  #essence(): string {
    const table = this.begin([]);
    const row = table.group();
    const rest = [...this.entries].filter(([key]) => key !== this.#keys.group && !key.startsWith(this.#keys.members));
    return JSON.stringify([row && groupEssence(row), table.members().map(memberEssence), rest]);
  }
}

it("the ledger on etcd's keys is the ledger on plain maps, whatever happens", () => {
  for (let seed = 1; seed <= 60; seed++) expect(compareTables(new KeysInAMap(), seed, 150)).toBeUndefined();
});

it("a level is kept until its time is over, and not after the next one that is remembered", () => {
  const keys = new KeysInAMap();
  const table = keys.begin([]);
  table.rememberLevel("first", 1, 2_000, 1_000);
  table.rememberLevel("lasting", 2, 9_000, 1_000);
  table.rememberLevel("next", 3, 9_000, 2_000);
  expect([...table.levels().keys()]).toEqual(["lasting", "next"]);
});

it("no key is left behind when everybody has left", () => {
  const keys = new KeysInAMap();
  expect(compareTables(keys, 7, 200)).toBeUndefined();
  for (const row of keys.begin([]).members()) {
    const table = keys.begin([]);
    deregister(table, row, { seq: 999, level: null }, 1e6);
    keys.end(table);
  }
  expect([...keys.entries.keys()].filter((key) => !/\/(group|levels)$/.test(key))).toEqual([]);
});
