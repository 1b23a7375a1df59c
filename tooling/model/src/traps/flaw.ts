/** Faults of the member's side as the model transcribes it (`world/member.ts`, `world/grants.ts`). */
export type Flaw =
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
