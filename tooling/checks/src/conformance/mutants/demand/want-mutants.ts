import { divide, type GroupRow } from "@dt/core/ledger";
import { fairOfTable } from "../fair-of-table.ts";
import { type Mutant, mutant } from "../flaw.ts";
import { PlainTable } from "../plain-table.ts";
import { afterwards, saying } from "./demanding.ts";

/** R21: what is counted of what members want, and how the capacity is divided by it. */
export const wantMutants: readonly Mutant[] = [
  mutant(
    "wants are rounded down to the grid",
    "R21",
    saying((demand) => ({ ...demand, want: roundedDown(demand.want) })),
  ),
  mutant("members that want nothing are not counted", "R21", {
    table: class extends PlainTable {
      override group(): GroupRow | undefined {
        const row = super.group();
        return row && { ...row, wants: row.wants.filter(([want]) => want > 0) };
      }
    },
  }),
  mutant(
    "the water level is a fair part of what is there",
    "R21",
    afterwards(({ table, row, say }) => {
      if (divide(row).scarce) say({ waterLevel: fairOfTable(table) });
    }),
  ),
  mutant(
    "all that no member wants is to be handed out on top",
    "R21",
    afterwards(({ row, say }) => say({ extra: Math.floor(divide(row).spare / row.memberCount) })),
  ),
];

/** Eight steps to a doubling, from 16 on. */
function roundedDown(want: number): number {
  if (want < 16) return want;
  const step = 2 ** (Math.floor(Math.log2(want)) - 3);
  return Math.floor(want / step) * step;
}
