import { fairOfTable } from "./fair-of-table.ts";
import { type Mutant, mutant } from "./flaw.ts";
import { patchView, setHeld } from "./rows.ts";

/** R7, R8: who holds what. */
export const shareMutants: readonly Mutant[] = [
  mutant("a raise is answered before it is on the disk", "R7", {
    transactions: { writesBehind: true },
    capabilities: { losesData: false },
  }),
  mutant("a raise gives more than is free", "R7", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      const fair = fairOfTable(table);
      return patchView(view, ({ held }) => {
        if (held >= fair) return {};
        setHeld(table, ref.incarnation, fair);
        return { held: fair };
      });
    },
  }),
  mutant("a raise gives more than the fair share", "R7", {
    sync: ({ table, ref }, proceed) => {
      const view = proceed();
      return patchView(view, ({ held, status, learning }) => {
        const row = table.group();
        if (!row || status === "agree" || learning || row.held >= row.capacity) return {};
        const raised = held + row.capacity - row.held;
        setHeld(table, ref.incarnation, raised);
        return { held: raised };
      });
    },
  }),
  mutant("a report lowers nothing", "R7", {
    sync: ({ request }, proceed) => proceed({ ...request, held: Number.MAX_SAFE_INTEGER }),
  }),
  mutant("only the first member's learning period counts", "R8", {
    register: ({ table, request }, proceed) =>
      proceed({ ...request, learningMs: table.group() ? 0 : request.learningMs }),
  }),
  mutant("a learning group raises no member, but agrees", "R8", {
    sync: (_, proceed) => {
      const view = proceed();
      return patchView(view, ({ learning, members }) =>
        learning ? { status: "agree", reportedMembers: members } : {},
      );
    },
  }),
];
