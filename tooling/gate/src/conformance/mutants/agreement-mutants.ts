import type { Report, View } from "@dt/core";
import { fairOf } from "./fair.ts";
import { type Mutant, mutant, type Operation, type Proceed } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import { patchGroup, patchView, setHeld } from "./rows.ts";

/** Answers a member as if everybody had adopted. */
function agreeing(table: PlainTable, incarnation: string, view: View): View {
  return patchView(view, ({ capacity, poolSize, learning }) => {
    if (learning) return {};
    const held = Math.ceil(capacity / poolSize);
    setHeld(table, incarnation, held);
    return { status: "agree", held, reportedPoolSize: poolSize };
  });
}

/** Marks the reporting member as having adopted what the report names. */
function adopting(accepts: (request: Report, table: PlainTable, held: number) => boolean) {
  return ({ table, ref, request }: Operation<Report>, proceed: Proceed<Report, View>): View => {
    const member = table.member(ref.incarnation);
    const row = table.group();
    if (
      member &&
      row &&
      member.standing !== "fenced" &&
      request.seq > member.seq &&
      member.generation !== row.generation
    ) {
      if (accepts(request, table, Math.min(member.held, request.held))) {
        table.putMember({ ...member, generation: row.generation, poolSize: row.poolSize });
        patchGroup(table, ({ adopted }) => ({ adopted: adopted + 1 }));
      }
    }
    return proceed();
  };
}

/** R9, R10: when members agree, and which rank each has. */
export const agreementMutants: readonly Mutant[] = [
  mutant("a member that adopted is answered agree, whatever the others did", "R9", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      const adopted = table.member(ref.incarnation)?.generation === table.group()?.generation;
      return adopted ? agreeing(table, ref.incarnation, view) : view;
    },
  }),
  mutant("agreement means that the reports are alike, without counting the members", "R9", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      const reports = table.members().filter((member) => member.generation > 0);
      const alike = reports.every((member) => member.generation === table.group()?.generation);
      return alike && reports.length > 1 ? agreeing(table, ref.incarnation, view) : view;
    },
  }),
  mutant("a member adopts although it holds more than fair", "R9", {
    sync: adopting((request, table) => request.generation === table.row?.generation),
  }),
  mutant("a report of any generation adopts the current one", "R9", {
    sync: adopting((_, table, held) => held <= fairOf(table)),
  }),
  mutant("a newcomer has adopted whatever it claims", "R9", {
    register: ({ table, ref, request }, proceed) => {
      const view = proceed();
      const member = table.member(ref.incarnation);
      const row = table.group();
      if (!member || !row || member.generation === row.generation || request.claim <= fairOf(table)) return view;
      table.putMember({ ...member, generation: row.generation });
      patchGroup(table, ({ adopted }) => ({ adopted: adopted + 1 }));
      return view;
    },
  }),
  mutant("the remainder token is answered but not recorded", "R9", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      if (view.status === "agree") setHeld(table, ref.incarnation, fairOf(table));
      return view;
    },
  }),
  mutant("on agree a member gets the fair share without the remainder", "R9", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      if (view.status !== "agree") return view;
      setHeld(table, ref.incarnation, view.entitled);
      return { ...view, held: view.entitled };
    },
  }),
  mutant("members never agree", "R9", { sync: (_, proceed) => patchView(proceed(), () => ({ status: "disagree" })) }),
  mutant("adoption survives a new generation", "R9", {
    register: ({ table }, proceed) => {
      const before = table.group();
      const adopted = table.members().filter((member) => member.generation === before?.generation);
      const view = proceed();
      const row = table.group();
      if (!before || !row || row.generation === before.generation) return view;
      for (const { incarnation } of adopted) {
        const member = table.member(incarnation);
        if (member) table.putMember({ ...member, generation: row.generation });
      }
      patchGroup(table, (group) => ({ adopted: group.adopted + adopted.length }));
      return view;
    },
  }),
  mutant("disagree answers the current pool size instead of the largest one reported", "R9", {
    sync: (_, proceed) => patchView(proceed(), ({ poolSize }) => ({ reportedPoolSize: poolSize })),
  }),
  mutant("ranks have a hole where a member left", "R10", {
    deregister: ({ table }, proceed) => {
      const ranks = new Map(table.members().map((member) => [member.incarnation, member.rank]));
      proceed();
      for (const member of table.members())
        table.putMember({ ...member, rank: ranks.get(member.incarnation) ?? member.rank });
    },
  }),
  mutant("everybody has the rank of the newest member", "R10", {
    sync: (_, proceed) => patchView(proceed(), ({ poolSize }) => ({ rank: poolSize - 1 })),
  }),
  mutant("ranks change from call to call", "R10", {
    sync: ({ request }, proceed) =>
      patchView(proceed(), ({ rank, poolSize }) => ({ rank: (rank + request.seq) % poolSize })),
  }),
];
