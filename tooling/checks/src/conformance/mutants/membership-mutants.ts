import type { View } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { patchMember } from "./rows.ts";

/** R3, R12: who is a member. */
export const membershipMutants: readonly Mutant[] = [
  mutant("a sync of an unknown member makes it a member", "R3", {
    sync: ({ table, ref, request, nowMs }, proceed): View => {
      const view = proceed();
      if (view.status !== "unknown") return view;
      const { held: claim, ...rest } = request;
      const terms = {
        intervalMs: 1_000,
        staleAfterMs: 60_000,
        learningMs: 0,
        resumeWithinMs: 0,
        observedMs: 0,
        rejoin: false,
      };
      return ledger.register(table, { ...ref, ...rest, ...terms, claim }, nowMs);
    },
  }),
  mutant("a registration alone fences the member that has the id", "R3", {
    register: ({ table, ref, request }, proceed) => {
      const holder = table.holderOf(ref.id);
      if (holder && holder.incarnation !== ref.incarnation && !request.rejoin)
        patchMember(table, holder.incarnation, { standing: "fenced" });
      return proceed();
    },
  }),
  mutant("no member is ever fenced", "R3", {
    sync: ({ table, ref }, proceed) => {
      patchMember(table, ref.incarnation, { standing: "holder" });
      return proceed();
    },
  }),
  mutant("a rejoin fences the one that has the id", "R3", {
    register: ({ request }, proceed) => proceed({ ...request, rejoin: false }),
  }),
  mutant("a member that left is still answered as one", "R12", { deregister: () => {} }),
  mutant("a farewell of a member that is not there is an error", "R12", {
    deregister: ({ table, ref }, proceed) => {
      if (!table.member(ref.incarnation)) throw new Error("no such member");
      proceed();
    },
  }),
];
