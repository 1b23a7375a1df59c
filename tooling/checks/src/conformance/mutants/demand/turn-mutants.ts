import { divide, isHungry, isLearning } from "@dt/core/ledger";
import { type Mutant, mutant } from "../flaw.ts";
import { patchGroup } from "../rows.ts";
import { afterwards, type Demanded } from "./demanding.ts";

/** R23: tokens that cannot be divided go round. */
export const turnMutants: readonly Mutant[] = [
  mutant(
    "one member has several odd tokens, where several are free",
    "R23",
    afterwards((demanded) => {
      if (demanded.member.odd && mayHaveATurn(demanded)) demanded.raise(1);
    }),
  ),
  mutant(
    "who gives its odd token up does not rest",
    "R23",
    afterwards(({ patch }) => patch({ restUntilMs: 0 })),
  ),
  mutant("turns go on while a member starves", "R23", {
    sync: ({ table, request }, proceed) => {
      const hungryMs = table.group()?.hungryMs ?? null;
      if (request.demand) patchGroup(table, () => ({ hungryMs: null }));
      const view = proceed();
      patchGroup(table, (row) => ({ hungryMs: row.hungryMs ?? hungryMs }));
      return view;
    },
  }),
  mutant(
    "also who wants no more than the water level has a turn",
    "R23",
    afterwards((demanded) => {
      const { member, want, row, raise, patch, say } = demanded;
      if (want !== divide(row).waterLevel || member.held !== want || !mayHaveATurn(demanded)) return;
      raise(1);
      patch({ odd: true });
      say({ odd: true });
    }),
  ),
  mutant(
    "who gives something up keeps its odd token",
    "R23",
    afterwards(({ before, patch, say }) => {
      if (!before.member?.odd) return;
      patch({ odd: true });
      say({ odd: true });
    }),
  ),
];

/** A token is free that cannot be divided, and nobody starves. */
function mayHaveATurn({ row, demand }: Demanded): boolean {
  const { scarce, odd, float } = divide(row);
  const isFree = row.capacity - row.held - float > 0;
  return scarce && odd > 0 && isFree && !isLearning(row) && !isHungry(row, demand.syncMs);
}
