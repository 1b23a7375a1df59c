import type { Demand, MemberView } from "@dt/core";
import { type GroupRow, type MemberRow, waterLevel } from "@dt/core/ledger";
import { altered } from "../altered.ts";
import { fairOf } from "../fair.ts";
import { type Mutant, mutant } from "../flaw.ts";
import { PlainTable } from "../plain-table.ts";
import { patchGroup, patchMember } from "../rows.ts";
import { afterwards, beforehand, saying } from "./demanding.ts";

/** R21: what is counted of what members want, and how the capacity is divided by it. */
export const wantMutants: readonly Mutant[] = [
  mutant(
    "a want is counted anew with every report",
    "R21",
    afterwards(({ row, want, patchRow }) => patchRow({ wants: withOne(row, want) })),
  ),
  mutant("a want counts as it was said when its member joined", "R21", {
    sync: ({ table, ref, request }, proceed) => {
      const want = table.member(ref.incarnation)?.want ?? null;
      return proceed(request.demand && want !== null ? { ...request, demand: { ...request.demand, want } } : request);
    },
  }),
  mutant(
    "a late report changes what its member wants",
    "R21",
    beforehand(({ table, request: { demand, seq } }, member, row) => {
      if (!demand || member.want === null || seq > member.seq) return;
      patchGroup(table, () => ({ wants: withOne(without(row, member), demand.want) }));
      patchMember(table, member.incarnation, { want: demand.want });
    }),
  ),
  mutant("what a member wanted that left is counted still", "R21", {
    deregister: ({ table, ref }, proceed) => {
      const want = table.member(ref.incarnation)?.want ?? null;
      proceed();
      if (want !== null) patchGroup(table, (row) => ({ wants: withOne(row, want) }));
    },
  }),
  mutant("what a member wanted that went stale is counted still", "R21", {
    sync: ({ table }, proceed) => {
      const before = table.members();
      const view = proceed();
      for (const { incarnation, want } of before)
        if (want !== null && !table.member(incarnation)) patchGroup(table, (row) => ({ wants: withOne(row, want) }));
      return view;
    },
  }),
  mutant(
    "wants are rounded down to the grid",
    "R21",
    saying((demand) => ({ ...demand, want: roundedDown(demand.want) })),
  ),
  mutant(
    "wants stand on a grid of powers of two",
    "R21",
    saying((demand) => ({ ...demand, want: demand.want > 1 ? 2 ** Math.ceil(Math.log2(demand.want)) : demand.want })),
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
    "the level is an even part of what is there",
    "R21",
    afterwards(({ table, row, say }) => {
      if (waterLevel(row).scarce) say({ level: fairOf(table) });
    }),
  ),
  mutant(
    "the level is rounded up",
    "R21",
    afterwards(({ row, view, say }) => {
      if (waterLevel(row).odd > 0 && view.demand) say({ level: view.demand.level + 1 });
    }),
  ),
  mutant(
    "the level takes no notice of those that share evenly",
    "R21",
    afterwards(({ table, row, say }) => {
      const poolSize = table.members().filter(({ want }) => want !== null).length;
      say({ level: waterLevel({ ...row, poolSize }).level });
    }),
  ),
  mutant(
    "nothing is due to those that want nothing",
    "R21",
    afterwards(({ say }) => say({ reserve: 0 })),
  ),
  mutant(
    "all that nobody wants is to be handed out on top",
    "R21",
    afterwards(({ row, say }) => say({ extra: Math.floor(waterLevel(row).spare / row.poolSize) })),
  ),
  mutant("one that goes over to sharing evenly is counted as wanting what it did", "R21", {
    sync: ({ table, ref, request }, proceed) => {
      const want = table.member(ref.incarnation)?.want ?? null;
      if (request.demand || want === null) return proceed();
      const { demand: _, ...view } = proceed({ ...request, demand: { want, syncMs: 1_000 } }) as MemberView;
      return view;
    },
  }),
  mutant("the snapshot shows what was said, and not what is counted", "R21", {
    inspect: (snapshot) => ({
      ...snapshot,
      members: snapshot.members.map((member) => ({
        ...member,
        ...(member.want !== undefined && { want: Math.max(0, member.want - 1) }),
      })),
    }),
  }),
  mutant("a demand that makes no sense is taken for none, instead of refused", "R21", {
    wrap: (store) =>
      altered(store, {
        sync: (group, member, { demand, ...report }, signal) =>
          store.sync(group, member, { ...report, ...(isDemand(demand) && { demand }) }, signal),
      }),
  }),
];

function withOne({ wants }: Pick<GroupRow, "wants">, want: number): GroupRow["wants"] {
  const members = new Map(wants);
  members.set(want, (members.get(want) ?? 0) + 1);
  return [...members].sort(([a], [b]) => a - b);
}

function without({ wants }: Pick<GroupRow, "wants">, { want }: Pick<MemberRow, "want">): Pick<GroupRow, "wants"> {
  const left = wants.map(([other, members]) => [other, other === want ? members - 1 : members] as const);
  return { wants: left.filter(([, members]) => members > 0) };
}

/** Eight steps to a doubling, from 16 on. */
function roundedDown(want: number): number {
  if (want < 16) return want;
  const step = 2 ** (Math.floor(Math.log2(want)) - 3);
  return Math.floor(want / step) * step;
}

function isDemand(demand: unknown): demand is Demand {
  const { want, syncMs } = (demand ?? {}) as Partial<Demand>;
  const isCount = Number.isSafeInteger(want) && (want as number) >= 0 && (want as number) <= 1e12;
  return isCount && typeof syncMs === "number" && syncMs >= 1 && syncMs <= 1e12;
}
