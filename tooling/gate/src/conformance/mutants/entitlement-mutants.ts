import { answering, changed } from "./answering.ts";
import { fairOf } from "./fair.ts";
import { type Mutant, mutant } from "./flaw.ts";

/** R19: what a member may use. */
export const entitlementMutants: readonly Mutant[] = [
  mutant(
    "a member is entitled to all that it holds, also where that is more than fair",
    "R19",
    answering(({ held, status }) => (status === "agree" ? {} : { entitled: held })),
  ),
  mutant(
    "a member is entitled to its fair share, also where it does not hold that much",
    "R19",
    answering((_, { table }) => ({ entitled: fairOf(table) })),
  ),
  mutant(
    "on agree a member is entitled to the token of the remainder in every epoch",
    "R19",
    answering(({ held, status }) => (status === "agree" ? { entitled: held } : {})),
  ),
  mutant("what is answered to a registration entitles to nothing", "R19", {
    register: (_, proceed) => changed(proceed(), () => ({ entitled: 0 })),
  }),
];
