/** Faults of the member's side, as the model has it: in `member.ts`, `steps.ts` and `store.ts`. */
export type SlotFlaw =
  | "any-offer-taken"
  | "lowered-with-the-answer"
  | "nothing-claimed"
  | "ended-claim-used"
  | "begun-beyond-held"
  | "reported-below-running"
  | "over-ignored"
  | "leaves-while-running"
  | "validity-from-the-answer"
  | "signal-not-fired"
  | "offer-not-on-record";
