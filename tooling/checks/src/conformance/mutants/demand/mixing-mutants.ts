import type { View } from "@dt/core";
import { fairOf } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import { type Mutant, mutant } from "../flaw.ts";
import type { PlainTable } from "../plain-table.ts";
import { patchGroup, patchMember } from "../rows.ts";
import { afterwards } from "./demanding.ts";

/** R24: more is held than there is. */
export const overMutants: readonly Mutant[] = [
  mutant(
    "one that shares by demand may use all that it holds, also while more is held than there is",
    "R24",
    afterwards(({ member, answer }) => answer({ entitled: member.held })),
  ),
  mutant(
    "one that wants more is raised also while more is held than there is",
    "R24",
    afterwards(({ row, member, need, raise }) => {
      if (row.held > row.capacity && member.held < need) raise(1);
    }),
  ),
];

/** R25: members that share by demand beside others that share evenly. */
export const mixingMutants: readonly Mutant[] = [
  mutant(
    "one that shares by demand adopts generations, as others do",
    "R25",
    afterwards(({ row, member, table }) => {
      if (member.generation === row.generation || member.held > fairOf(row).fair) return;
      patchMember(table, member.incarnation, { generation: row.generation, memberCount: row.memberCount });
      patchGroup(table, ({ adopted }) => ({ adopted: adopted + 1 }));
    }),
  ),
  mutant(
    "one that shares by demand alone is answered agree",
    "R25",
    afterwards(({ row, member, answer }) => {
      if (row.memberCount === 1 && member.held === row.capacity)
        answer({ status: "agree", reportedMembers: 1, entitled: member.held });
    }),
  ),
  mutant("no member adopts beside one that shares by demand", "R25", {
    sync: ({ table, ref, request }, proceed) => {
      const view = proceed();
      if (!request.demand && isMixed(table)) unadopt(table, ref.incarnation);
      return view;
    },
  }),
  mutant("one that shared by demand once never adopts", "R25", {
    sync: ({ table, ref, request }, proceed) => {
      const member = table.member(ref.incarnation);
      if (member && member.want !== null && !request.demand) table.marked.add(ref.incarnation);
      return disagreeing(table, ref.incarnation, proceed());
    },
  }),
  mutant("a group that one was in that shared by demand never agrees", "R25", {
    deregister: ({ table, ref }, proceed) => {
      const wanted = (table.member(ref.incarnation)?.want ?? null) !== null;
      if (wanted) for (const { incarnation } of table.members()) table.marked.add(incarnation);
      proceed();
    },
    sync: ({ table, ref }, proceed) => disagreeing(table, ref.incarnation, proceed()),
  }),
];

function isMixed(table: PlainTable): boolean {
  return table.members().some(({ want }) => want !== null);
}

function unadopt(table: PlainTable, incarnation: string): void {
  const [row, member] = [table.group(), table.member(incarnation)];
  if (!row || !member || member.generation !== row.generation) return;
  patchMember(table, incarnation, { generation: 0 });
  patchGroup(table, ({ adopted }) => ({ adopted: adopted - 1 }));
}

/** Where it is remembered, the answer to a member is never agree. */
function disagreeing(table: PlainTable, incarnation: string, view: View): View {
  if (!table.marked.has(incarnation) || !isMember(view) || view.status !== "agree") return view;
  unadopt(table, incarnation);
  return { ...view, status: "disagree" };
}
