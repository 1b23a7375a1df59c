import { isHungry, isLearning, waterLevel } from "@dt/core/ledger";
import { type Mutant, mutant } from "../flaw.ts";
import { patchGroup, patchMember } from "../rows.ts";
import { afterwards, beforehand, type Demanded } from "./demanding.ts";

/** R23: tokens that cannot be divided go round. */
export const turnMutants: readonly Mutant[] = [
  mutant(
    "tokens that cannot be divided go to nobody",
    "R23",
    afterwards(({ member, before, raise, patch, say }) => {
      if (!member.odd || before.member?.odd) return;
      raise(-1);
      patch({ odd: false });
      say({ odd: false });
    }),
  ),
  mutant(
    "who has an odd token is not told so",
    "R23",
    afterwards(({ say }) => say({ odd: false })),
  ),
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
  mutant(
    "who gives its odd token up rests for a sync interval",
    "R23",
    resting(() => 1),
  ),
  mutant(
    "who gives its odd token up rests as if all that take turns waited for it alone",
    "R23",
    resting(({ takers, level }) => 0.9 * (takers - 1) * Math.max(1, level)),
  ),
  mutant(
    "who gives its odd token up rests no longer where the level is higher",
    "R23",
    resting(({ takers, odd }) => 0.9 * (takers / odd - 1)),
  ),
  mutant(
    "who gives its odd token up rests for the whole turns of the others",
    "R23",
    resting(({ takers, odd, level }) => (takers / odd - 1) * Math.max(1, level)),
  ),
  mutant(
    "an odd token lies idle until somebody has rested",
    "R23",
    beforehand(({ table }, { incarnation, gaveUpMs }) => {
      if (gaveUpMs > 0) patchMember(table, incarnation, { gaveUpMs: Number.POSITIVE_INFINITY });
    }),
  ),
  mutant(
    "who has rested for an interval has its turn, also with a token that is spent",
    "R23",
    beforehand(({ table, request }, { incarnation, gaveUpMs }, row) => {
      const nowMs = Math.max(row.lastMs, request.observedMs ?? 0);
      if (gaveUpMs > 0 && nowMs - gaveUpMs >= row.intervalMs) patchMember(table, incarnation, { restUntilMs: 0 });
    }),
  ),
  mutant("turns go on while somebody starves", "R23", {
    sync: ({ table, request }, proceed) => {
      const hungryMs = table.group()?.hungryMs ?? null;
      if (request.demand) patchGroup(table, () => ({ hungryMs: null }));
      const view = proceed();
      patchGroup(table, (row) => ({ hungryMs: row.hungryMs ?? hungryMs }));
      return view;
    },
  }),
  mutant(
    "also who wants no more than the level has a turn",
    "R23",
    afterwards((demanded) => {
      const { member, want, row, raise, patch, say } = demanded;
      if (want !== waterLevel(row).level || member.held !== want || !mayHaveATurn(demanded)) return;
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
  const { scarce, odd, float } = waterLevel(row);
  const isFree = row.capacity - row.held - float > 0;
  return scarce && odd > 0 && isFree && !isLearning(row) && !isHungry(row, demand.syncMs);
}

/** Who has just given its odd token up rests for so many of its sync intervals. */
function resting(syncs: (level: ReturnType<typeof waterLevel>) => number): Mutant["flaw"] {
  return afterwards(({ row, member, before, demand, patch }) => {
    if (!before.member?.odd || member.odd) return;
    const level = waterLevel(row);
    if (level.odd > 0) patch({ restUntilMs: member.gaveUpMs + syncs(level) * demand.syncMs });
  });
}
