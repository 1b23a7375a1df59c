import { answering } from "./answering.ts";
import { type Mutant, mutant } from "./flaw.ts";

/** R19: what a member may use. */
export const entitlementMutants: readonly Mutant[] = [
  mutant(
    "a member is entitled to all that it holds, also where that is more than fair",
    "R19",
    answering(({ held, status }) => (status === "agree" ? {} : { entitled: held })),
  ),
  mutant(
    "on agree a member is entitled to the token of the remainder in every epoch",
    "R19",
    answering(({ held, status }) => (status === "agree" ? { entitled: held } : {})),
  ),
];
