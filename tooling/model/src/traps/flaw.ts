/** Flaws with which a share that has ended is in use no more: the states of a member are then as without one. */
export const ENDS_SHARES: ReadonlySet<Flaw | undefined> = new Set<Flaw | undefined>([
  undefined,
  "raise-in-same-epoch",
  "split-at-once",
  "kept-raise-hastened",
  "raise-not-reported",
  "remainder-not-reported",
  "remainder-kept",
  "drop-delayed",
]);

/** Faults of the member's side, as the model has it: in `member.ts`, `flawed-holding.ts` and `grants.ts` of `world`. */
export type Flaw =
  | "raise-in-same-epoch"
  | "split-at-once"
  | "kept-raise-hastened"
  | "raise-not-reported"
  | "remainder-not-reported"
  | "remainder-kept"
  | "drop-delayed"
  | "epoch-goes-back"
  | "validity-not-checked"
  | "validity-from-receive"
  | "expired-share-revived"
  | "expired-share-claimed"
  | "ended-claim-raised"
  | "extras-claimed"
  | "grants-after-leaving"
  | "late-deposit-granted-again"
  | "sequence-stands-still"
  | "use-not-told"
  | "given-up-in-use"
  | "spent-twice"
  | "spent-without-an-answer";
