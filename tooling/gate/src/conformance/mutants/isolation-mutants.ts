import type { MemberRow } from "@dt/core/ledger";
import { type Mutant, mutant } from "./flaw.ts";
import { PlainTable } from "./plain-table.ts";

const bytes = new TextEncoder();

/** R15, R1: what belongs to whom. */
export const isolationMutants: readonly Mutant[] = [
  mutant("all groups are one", "R15", { key: () => "" }),
  mutant("group names end at the first colon", "R15", { key: (group) => group.split(":", 1)[0] as string }),
  mutant("group names are folded to lower case", "R15", { key: (group) => group.toLowerCase() }),
  mutant("group names are trimmed", "R15", { key: (group) => group.trim() }),
  mutant("group names are cut after 255 characters", "R15", { key: (group) => group.slice(0, 255) }),
  mutant("group names are cut after 1,000 bytes", "R15", {
    key: (group) => bytes.encode(group).slice(0, 1_000).join(),
  }),
  mutant("group names are normalised", "R15", { key: (group) => group.normalize("NFC") }),
  mutant("group names lose what is not ASCII", "R15", { key: (group) => group.replaceAll(/[^ -~]/g, "?") }),
  mutant("braces are dropped from group names", "R15", { key: (group) => group.replaceAll(/[{}]/g, "") }),
  mutant("percent signs and underscores in group names match anything", "R15", {
    key: (group) => group.replaceAll(/[%_]/g, "."),
  }),
  mutant("ids are folded to lower case", "R15", {
    table: class extends PlainTable {
      override holderOf(id: string): MemberRow | undefined {
        return this.members().find((row) => row.id.toLowerCase() === id.toLowerCase() && row.standing === "holder");
      }
    },
  }),
  mutant("names are not checked", "R15", { unchecked: "everything" }),
  mutant("operations read, work it out and write back while others do the same", "R1", { torn: true }),
  mutant("answers leave before the commit", "R1", { transactions: { answersEarly: true } }),
  mutant("answers leave before the commit, for which everybody else waits", "R1", {
    transactions: { answersEarly: true, inspectLocks: true },
    capabilities: { losesData: false },
  }),
  mutant("inspect counts the members and then lists those of a moment later", "R1", {
    inspect: (snapshot) => ({ ...snapshot, poolSize: snapshot.poolSize + 1, adopted: snapshot.adopted }),
  }),
];
