import { divide, isLearning } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import { type Mutant, mutant } from "../flaw.ts";
import { patchGroup } from "../rows.ts";
import { afterwards, type Demanded } from "./demanding.ts";

/** R22: what a member is raised to, and what it is told. */
export const targetMutants: readonly Mutant[] = [
  mutant(
    "a member is raised to its need, whether or not tokens are free",
    "R22",
    afterwards(({ row, member, need, raise }) => {
      if (!isLearning(row)) raise(Math.max(0, need - member.held));
    }),
  ),
  mutant(
    "a member is raised to its need and what is on top with every report, however little it is below",
    "R22",
    afterwards((demanded) => raiseTo(demanded, demanded.need + divide(demanded.row).extra, demanded.row.capacity)),
  ),
  mutant(
    "a report that comes twice is raised twice",
    "R22",
    afterwards(({ member, before, need, view, raise }) => {
      if (before.member?.seq === member.seq && view.generation > 0) raise(need);
    }),
  ),
  mutant(
    "a group that learns is hungry",
    "R22",
    afterwards(({ row, member, want, patchRow }) => {
      if (isLearning(row) && member.held < want) patchRow({ hungryMs: row.lastMs });
    }),
  ),
  mutant("hunger is over after one sync interval", "R22", hungryFor(1, 0)),
  mutant("one that shares evenly and has less than its part does not make the group hungry", "R22", {
    sync: ({ table, request }, proceed) => {
      const hungryMs = table.group()?.hungryMs ?? null;
      const view = proceed();
      if (!request.demand) patchGroup(table, () => ({ hungryMs }));
      return view;
    },
  }),
  mutant(
    "tokens are not tight where nothing is free and nothing left over",
    "R22",
    afterwards(({ row, view, say }) => {
      const { scarce, spare } = divide(row);
      if (!scarce && spare === 0 && !view.demand?.hungry) say({ tight: false });
    }),
  ),
  mutant(
    "one that is alone is given a half of what no member wants",
    "R22",
    afterwards(({ row, say }) => {
      if (row.memberCount === 1) say({ extra: Math.floor(divide(row).spare / 2) });
    }),
  ),
  mutant(
    "where a half of what no member wants is less than one token for each, none has one on top",
    "R22",
    afterwards(({ row, say }) => {
      const { spare } = divide(row);
      if (row.memberCount > 1 && spare < 2 * row.memberCount) say({ extra: 0 });
    }),
  ),
  mutant("a member that shares evenly is answered with demand as well", "R22", {
    sync: ({ request }, proceed) => {
      const view = proceed();
      if (request.demand || !isMember(view)) return view;
      const { capacity, members, status } = view;
      if (status === "agree") return view;
      const { waterLevel, reserve, extra } = divide({ capacity, memberCount: members, wants: [] });
      return { ...view, demand: { waterLevel, reserve, extra, odd: false, tight: false, hungry: false } };
    },
  }),
];

/** Raises to so much, as far as tokens are free up to here. */
function raiseTo({ row, member, raise }: Demanded, tokens: number, capacity: number): void {
  if (isLearning(row)) return;
  raise(Math.max(0, Math.min(tokens - member.held, capacity - row.held)));
}

function hungryFor(syncs: number, ms: number): Mutant["flaw"] {
  return afterwards(({ row, view, demand: { syncMs }, say }) => {
    const hungry = row.hungryMs !== null && row.lastMs - row.hungryMs < syncs * syncMs + ms;
    say({ hungry, tight: (view.demand?.tight ?? false) || hungry });
  });
}
