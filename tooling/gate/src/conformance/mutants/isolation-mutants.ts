import type { MemberRow } from "@dt/core/ledger";
import type { Mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";

const bytes = new TextEncoder();

/** R15, R1: what belongs to whom. */
export const isolationMutants: readonly Mutant[] = [
  { name: "all groups are one", rule: "R15", flaw: { key: () => "" } },
  {
    name: "group names end at the first colon",
    rule: "R15",
    flaw: { key: (group) => group.split(":", 1)[0] as string },
  },
  { name: "group names are folded to lower case", rule: "R15", flaw: { key: (group) => group.toLowerCase() } },
  { name: "group names are trimmed", rule: "R15", flaw: { key: (group) => group.trim() } },
  { name: "group names are cut after 255 characters", rule: "R15", flaw: { key: (group) => group.slice(0, 255) } },
  {
    name: "group names are cut after 1,000 bytes",
    rule: "R15",
    flaw: { key: (group) => bytes.encode(group).slice(0, 1_000).join() },
  },
  { name: "group names are normalised", rule: "R15", flaw: { key: (group) => group.normalize("NFC") } },
  {
    name: "group names lose what is not ASCII",
    rule: "R15",
    flaw: { key: (group) => group.replaceAll(/[^ -~]/g, "?") },
  },
  { name: "braces are dropped from group names", rule: "R15", flaw: { key: (group) => group.replaceAll(/[{}]/g, "") } },
  {
    name: "percent signs and underscores in group names match anything",
    rule: "R15",
    flaw: { key: (group) => group.replaceAll(/[%_]/g, ".") },
  },
  {
    name: "ids are folded to lower case",
    rule: "R15",
    flaw: {
      table: () =>
        new (class extends PlainTable {
          override holderOf(id: string): MemberRow | undefined {
            return this.members().find((row) => row.id.toLowerCase() === id.toLowerCase() && row.standing === "holder");
          }
        })(),
    },
  },
  { name: "names are not checked", rule: "R15", flaw: { unchecked: "everything" } },
  { name: "operations read, work it out and write back while others do the same", rule: "R1", flaw: { torn: true } },
  {
    name: "answers leave before the commit",
    rule: "R1",
    flaw: { transactions: { answersEarly: true } },
  },
  {
    name: "answers leave before the commit, for which everybody else waits",
    rule: "R1",
    flaw: { transactions: { answersEarly: true, inspectLocks: true }, capabilities: { losesData: false } },
  },
  {
    name: "inspect counts the members and then lists those of a moment later",
    rule: "R1",
    flaw: { inspect: (snapshot) => ({ ...snapshot, poolSize: snapshot.poolSize + 1, adopted: snapshot.adopted }) },
  },
];
