import { dueOf, isLearning, waterLevel } from "@dt/core/ledger";
import { type Mutant, mutant } from "../flaw.ts";
import { patchGroup, setHeld } from "../rows.ts";
import { isMemberView } from "../suite-internals.ts";
import { afterwards, type Demanded } from "./demanding.ts";

/** R22: what a member is raised to, and what it is told. */
export const targetMutants: readonly Mutant[] = [
  mutant(
    "a member is raised to what it wants, as far as tokens are free, whatever the others want",
    "R22",
    afterwards((demanded) => raiseTo(demanded, demanded.want, demanded.row.capacity)),
  ),
  mutant(
    "a member is raised to the even part at most",
    "R22",
    afterwards(({ row, member, before, raise }) => {
      const most = Math.max(dueOf(row).sure, Math.min(before.member?.held ?? 0, member.held));
      raise(Math.min(0, most - member.held));
    }),
  ),
  mutant(
    "a member is raised to what it needs, whether or not tokens are free",
    "R22",
    afterwards(({ row, member, need, raise }) => {
      if (!isLearning(row)) raise(Math.max(0, need - member.held));
    }),
  ),
  mutant(
    "what is kept free goes to whoever asks first",
    "R22",
    afterwards((demanded) => raiseTo(demanded, demanded.need, demanded.row.capacity)),
  ),
  mutant(
    "nobody is given what is kept free",
    "R22",
    afterwards(({ row, member, before, raise }) => {
      const raised = member.held - (before.member?.held ?? 0);
      if (raised > 0) raise(-Math.min(raised, Math.max(0, row.held - (row.capacity - waterLevel(row).float))));
    }),
  ),
  mutant(
    "a member is raised to what it needs and what is on top with every report, however little it is below",
    "R22",
    afterwards((demanded) => raiseTo(demanded, demanded.need + waterLevel(demanded.row).extra, demanded.row.capacity)),
  ),
  mutant(
    "nobody is given anything on top",
    "R22",
    afterwards(({ member, before, need, raise }) => {
      const kept = Math.max(need, Math.min(before.member?.held ?? 0, member.held));
      if (!member.odd) raise(Math.min(0, kept - member.held));
    }),
  ),
  mutant(
    "a report that comes twice is raised twice",
    "R22",
    afterwards(({ member, before, need, view, raise }) => {
      if (before.member?.seq === member.seq && view.generation > 0) raise(need);
    }),
  ),
  mutant(
    "nobody ever counts as starving",
    "R22",
    afterwards(({ patchRow, say }) => {
      patchRow({ hungryMs: null });
      say({ hungry: false });
    }),
  ),
  mutant(
    "whoever gets less than it needs makes the group hungry, by however little",
    "R22",
    afterwards(({ row, member, need, patchRow }) => {
      if (member.held < need && !isLearning(row)) patchRow({ hungryMs: row.lastMs });
    }),
  ),
  mutant(
    "only who gets nothing makes the group hungry",
    "R22",
    afterwards(({ member, before, patchRow }) => {
      if (member.held > 0) patchRow({ hungryMs: before.row?.hungryMs ?? null });
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
  mutant("hunger is over after 1.1 sync intervals", "R22", hungryFor(1.1, 0)),
  mutant("hunger lasts two sync intervals", "R22", hungryFor(2, 0)),
  mutant(
    "hunger is noted anew with every report",
    "R22",
    afterwards(({ row, member, need, patchRow }) => {
      if (member.held < need - Math.floor(need / 16) && !isLearning(row)) patchRow({ hungryMs: row.lastMs });
    }),
  ),
  mutant(
    "hunger is noted anew after a second, however short the sync interval of the one that starves is",
    "R22",
    afterwards(({ row, before, patchRow }) => {
      const { hungryMs = null } = before.row ?? {};
      if (hungryMs !== null && row.lastMs - hungryMs < 1_000) patchRow({ hungryMs });
    }),
  ),
  mutant("one that shares evenly and has less than its part makes nobody hungry", "R22", {
    sync: ({ table, request }, proceed) => {
      const hungryMs = table.group()?.hungryMs ?? null;
      const view = proceed();
      if (!request.demand) patchGroup(table, () => ({ hungryMs }));
      return view;
    },
  }),
  mutant("who shares evenly starves also where nobody shares by demand", "R22", {
    sync: ({ table, ref, request }, proceed) => {
      const view = proceed();
      const [row, member] = [table.group(), table.member(ref.incarnation)];
      if (row && member && !request.demand && member.held < dueOf(row).sure)
        patchGroup(table, ({ lastMs }) => ({ hungryMs: lastMs }));
      return view;
    },
    register: ({ table, ref, request }, proceed) => {
      const view = proceed();
      const [row, member] = [table.group(), table.member(ref.incarnation)];
      if (row && member && !request.demand && member.held < dueOf(row).sure)
        patchGroup(table, ({ lastMs }) => ({ hungryMs: lastMs }));
      return view;
    },
  }),
  mutant(
    "tokens are tight only while they are scarce",
    "R22",
    afterwards(({ row, say }) => say({ tight: waterLevel(row).scarce })),
  ),
  mutant(
    "tokens are tight only while they are scarce or somebody starves",
    "R22",
    afterwards(({ row, view, say }) => say({ tight: waterLevel(row).scarce || (view.demand?.hungry ?? false) })),
  ),
  mutant(
    "tokens are not tight where nothing is free and nothing left over",
    "R22",
    afterwards(({ row, view, say }) => {
      const { scarce, spare } = waterLevel(row);
      if (!scarce && spare === 0 && !view.demand?.hungry) say({ tight: false });
    }),
  ),
  mutant(
    "one that is alone is given a half of what nobody wants",
    "R22",
    afterwards(({ row, say }) => {
      if (row.poolSize === 1) say({ extra: Math.floor(waterLevel(row).spare / 2) });
    }),
  ),
  mutant(
    "where a half of what nobody wants is less than one token for each nobody has one on top",
    "R22",
    afterwards(({ row, say }) => {
      const { spare } = waterLevel(row);
      if (row.poolSize > 1 && spare < 2 * row.poolSize) say({ extra: 0 });
    }),
  ),
  mutant(
    "tokens are always tight",
    "R22",
    afterwards(({ say }) => say({ tight: true })),
  ),
  mutant("who shares evenly is told of demand as well", "R22", {
    sync: ({ request }, proceed) => {
      const view = proceed();
      if (request.demand || !isMemberView(view)) return view;
      const { capacity, poolSize, status } = view;
      if (status === "agree") return view;
      const { level, reserve, extra } = waterLevel({ capacity, poolSize, wants: [] });
      return { ...view, demand: { level, reserve, extra, odd: false, tight: false, hungry: false } };
    },
  }),
  mutant("who registers is not told of demand", "R22", {
    register: (_, proceed) => {
      const view = proceed();
      if (!isMemberView(view)) return view;
      const { demand: _demand, ...rest } = view;
      return rest;
    },
  }),
  mutant("a raise is answered and not recorded, where it is by demand", "R22", {
    sync: ({ table, ref, request }, proceed) => {
      const before = table.member(ref.incarnation)?.held ?? 0;
      const view = proceed();
      if (request.demand) setHeld(table, ref.incarnation, Math.min(before, table.member(ref.incarnation)?.held ?? 0));
      return view;
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
