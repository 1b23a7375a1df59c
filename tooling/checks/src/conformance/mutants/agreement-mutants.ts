import type { Report, View } from "@dt/core";
import { fairOfTable } from "./fair-of-table.ts";
import { type Mutant, mutant, type Operation, type Proceed } from "./flaw.ts";
import type { PlainTable } from "./plain-table.ts";
import { patchGroup, patchView } from "./rows.ts";

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
        table.putMember({ ...member, generation: row.generation, memberCount: row.memberCount });
        patchGroup(table, ({ adopted }) => ({ adopted: adopted + 1 }));
      }
    }
    return proceed();
  };
}

/** R9, R10: when members agree, and which rank each has. */
export const agreementMutants: readonly Mutant[] = [
  mutant("a report of any generation adopts the current one", "R9", {
    sync: adopting((_, table, held) => held <= fairOfTable(table)),
  }),
  mutant("members never agree", "R9", { sync: (_, proceed) => patchView(proceed(), () => ({ status: "disagree" })) }),
  mutant("every member has the rank of the newest", "R10", {
    sync: (_, proceed) => patchView(proceed(), ({ members }) => ({ rank: members - 1 })),
  }),
  mutant("ranks change from call to call", "R10", {
    sync: ({ request }, proceed) =>
      patchView(proceed(), ({ rank, members }) => ({ rank: (rank + request.seq) % members })),
  }),
];
