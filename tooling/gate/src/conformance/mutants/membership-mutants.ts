import type { View } from "@dt/core";
import type { MemberRow } from "@dt/core/ledger";
import * as ledger from "@dt/core/ledger";
import type { Mutant, Operation } from "./flaw.ts";
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
  {
    name: "a sync of somebody unknown makes it a member",
    rule: "R3",
    flaw: {
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
    },
  },
  {
    name: "members are told apart by id, and a new incarnation takes the old one's place",
    rule: "R3",
    flaw: {
      register: (operation, proceed) => {
        evictRival(operation);
        return proceed();
      },
    },
  },
  {
    name: "a new incarnation is refused while the old one lives",
    rule: "R3",
    flaw: { register: ({ request }, proceed) => proceed({ ...request, rejoin: true }) },
  },
  {
    name: "a registration alone fences the member that has the id",
    rule: "R3",
    flaw: {
      register: ({ table, ref, request }, proceed) => {
        const holder = table.holderOf(ref.id);
        if (holder && holder.incarnation !== ref.incarnation && !request.rejoin)
          patchMember(table, holder.incarnation, { standing: "fenced" });
        return proceed();
      },
    },
  },
  {
    name: "whoever syncs first of two incarnations of an id fences the other, even one that registered later",
    rule: "R3",
    flaw: {
      sync: ({ table, ref }, proceed) => {
        if (table.member(ref.incarnation)?.standing === "newcomer")
          patchMember(table, ref.incarnation, { joined: Number.MAX_SAFE_INTEGER });
        return proceed();
      },
    },
  },
  {
    name: "nobody is ever fenced",
    rule: "R3",
    flaw: {
      sync: ({ table, ref }, proceed) => {
        patchMember(table, ref.incarnation, { standing: "holder" });
        return proceed();
      },
    },
  },
  {
    name: "a rejoin makes its member the holder of the id at once",
    rule: "R3",
    flaw: {
      register: ({ table, ref, request }, proceed) => {
        const view = proceed();
        if (request.rejoin && table.member(ref.incarnation)?.standing === "newcomer")
          patchMember(table, ref.incarnation, { standing: "holder" });
        return view;
      },
    },
  },
  {
    name: "a rejoin fences the one that has the id",
    rule: "R3",
    flaw: { register: ({ request }, proceed) => proceed({ ...request, rejoin: false }) },
  },
  {
    name: "a fenced member is answered like any other",
    rule: "R3",
    flaw: {
      table: () =>
        new (class extends PlainTable {
          override member(incarnation: string): MemberRow | undefined {
            return unfenced(super.member(incarnation));
          }
        })(),
    },
  },
  {
    name: "a fenced member registers again and is a member again",
    rule: "R3",
    flaw: {
      register: ({ table, ref }, proceed) => {
        if (table.member(ref.incarnation)?.standing === "fenced")
          patchMember(table, ref.incarnation, { standing: "newcomer" });
        return proceed();
      },
    },
  },
  {
    name: "a member that left is still answered as one",
    rule: "R12",
    flaw: { deregister: () => {} },
  },
  {
    name: "a farewell of somebody who is not there is an error",
    rule: "R12",
    flaw: {
      deregister: ({ table, ref }, proceed) => {
        if (!table.member(ref.incarnation)) throw new Error("no such member");
        proceed();
      },
    },
  },
  {
    name: "a farewell takes effect only when the stale age is over",
    rule: "R12",
    flaw: {
      deregister: ({ table, ref, nowMs }) => {
        const row = table.group();
        if (row) patchMember(table, ref.incarnation, { standing: "fenced", expiresAtMs: nowMs + 300 });
      },
    },
  },
];
