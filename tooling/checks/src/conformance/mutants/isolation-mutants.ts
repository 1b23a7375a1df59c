import { type Mutant, mutant } from "./flaw.ts";

/** R15, R1: what belongs to whom. */
export const isolationMutants: readonly Mutant[] = [
  mutant("all groups are one", "R15", { key: () => "" }),
  mutant("names are not checked", "R15", { unchecked: () => true }),
  mutant("answers leave before the commit", "R1", { transactions: { answersEarly: true } }),
  mutant("answers leave before the commit, for which all others wait", "R1", {
    transactions: { answersEarly: true, inspectLocks: true },
    capabilities: { losesData: false },
  }),
  mutant("inspect counts the members and then lists those of a moment later", "R1", {
    inspect: (snapshot) => ({ ...snapshot, memberCount: snapshot.memberCount + 1, adopted: snapshot.adopted }),
  }),
];
