import type { View } from "@dt/core";
import type { MemberRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import { type Mutant, mutant, type Operation } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";
import { patchMember } from "./rows.ts";

/** Takes whoever has the id out of the group, and goes on. */
function evictRival({ table, ref, nowMs }: Operation<unknown>): void {
  const rival = table.members().find((row) => row.id === ref.id && row.incarnation !== ref.incarnation);
  if (rival) ledger.deregister(table, rival, { seq: 0, level: null }, nowMs);
}

function unfenced(row: MemberRow | undefined): MemberRow | undefined {
  return row?.standing === "fenced" ? { ...row, standing: "holder" } : row;
}

/** R3, R12: who is a member. */
export const membershipMutants: readonly Mutant[] = [
  mutant("a sync of somebody unknown makes it a member", "R3", {
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
  mutant("members are told apart by id, and a new incarnation takes the old one's place", "R3", {
    register: (operation, proceed) => {
      evictRival(operation);
      return proceed();
    },
  }),
  mutant("a new incarnation is refused while the old one lives", "R3", {
    register: ({ request }, proceed) => proceed({ ...request, rejoin: true }),
  }),
  mutant("a registration alone fences the member that has the id", "R3", {
    register: ({ table, ref, request }, proceed) => {
      const holder = table.holderOf(ref.id);
      if (holder && holder.incarnation !== ref.incarnation && !request.rejoin)
        patchMember(table, holder.incarnation, { standing: "fenced" });
      return proceed();
    },
  }),
  mutant("whoever syncs first of two incarnations of an id fences the other, even one that registered later", "R3", {
    sync: ({ table, ref }, proceed) => {
      if (table.member(ref.incarnation)?.standing === "newcomer")
        patchMember(table, ref.incarnation, { joined: Number.MAX_SAFE_INTEGER });
      return proceed();
    },
  }),
  mutant("nobody is ever fenced", "R3", {
    sync: ({ table, ref }, proceed) => {
      patchMember(table, ref.incarnation, { standing: "holder" });
      return proceed();
    },
  }),
  mutant("a rejoin makes its member the holder of the id at once", "R3", {
    register: ({ table, ref, request }, proceed) => {
      const view = proceed();
      if (request.rejoin && table.member(ref.incarnation)?.standing === "newcomer")
        patchMember(table, ref.incarnation, { standing: "holder" });
      return view;
    },
  }),
  mutant("a rejoin fences the one that has the id", "R3", {
    register: ({ request }, proceed) => proceed({ ...request, rejoin: false }),
  }),
  mutant("a fenced member is answered like any other", "R3", {
    table: class extends PlainTable {
      override member(incarnation: string): MemberRow | undefined {
        return unfenced(super.member(incarnation));
      }
    },
  }),
  mutant("a fenced member registers again and is a member again", "R3", {
    register: ({ table, ref }, proceed) => {
      if (table.member(ref.incarnation)?.standing === "fenced")
        patchMember(table, ref.incarnation, { standing: "newcomer" });
      return proceed();
    },
  }),
  mutant("a member that left is still answered as one", "R12", { deregister: () => {} }),
  mutant("a farewell of somebody who is not there is an error", "R12", {
    deregister: ({ table, ref }, proceed) => {
      if (!table.member(ref.incarnation)) throw new Error("no such member");
      proceed();
    },
  }),
  mutant("a farewell takes effect only when the stale age is over", "R12", {
    deregister: ({ table, ref, nowMs }) => {
      const row = table.group();
      if (row) patchMember(table, ref.incarnation, { standing: "fenced", expiresAtMs: nowMs + 300 });
    },
  }),
];
