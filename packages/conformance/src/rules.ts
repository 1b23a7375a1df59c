/**
 * The rules of the store contract, as numbered in `@dt/core`'s `coordination-store.ts`, and those of its optional part,
 * `permit-ledger.ts` (P).
 */
export const RULES = {
  R1: "atomic: every operation on a group is atomic with respect to every other, from any process",
  R2: "store time: all times are the store's; a group's time never goes back; a quiet stretch counts as at most a quarter of the stale age",
  R3: "incarnations: an incarnation that is not a member is unknown; at its first sync a newer one fences the older; a rejoin fences nobody",
  R4: "stale age: a member silent for longer than its stale age is removed with what it holds, and nobody else is",
  R5: "generations: every change of membership or capacity gives a strictly greater generation, at least the store's time; nothing else does",
  R6: "capacity: the smallest max that a live member declares",
  R7: "held: a report only lowers, a claim is a fact, a raise is at most what is free and at most to fair, recorded before it is answered",
  R8: "learning: in a group younger than learningMs nobody is raised and there is no agreement",
  R9: "agreement: agree exactly when every live member has adopted the current generation; the member then holds ceil(capacity / poolSize)",
  R10: "ranks: exactly 0 .. poolSize - 1 within a generation",
  R11: "repeats: a request whose seq is not greater than the last is answered, but neither adopts, lowers nor counts as a heartbeat",
  R12: "farewell: deregister removes at once, and succeeds when the member is not there",
  R13: "levels: the last level of a member that is gone is answered to the next registration of its id within resumeWithinMs",
  R14: "intervals: a group has one intervalMs; another one is refused while it has members",
  R15: "isolation: groups do not see each other, whatever their names",
  R16: "deadlines: every call settles in time, with a DtError when it fails; signals and close are honoured; nothing is resent",
  R17: "cost: one round trip for each sync, no list of members read",
  R18: "damage: what is stored is checked when it is read; a damaged group heals, or the error names what is damaged and how to repair it; shares that are on record no more are given to nobody; a newer version's rows stay as they are",
  R19: "entitlement: an answer says what its member may use: what it holds, at most fair, and no more",
  R20: "start: freed tokens may be used at once as far as nobody has used them in that epoch, otherwise from the next; never more in an epoch than the capacity",
  R26: "listing: every group that has members is on one of the pages, by its whole name; a page is bounded, and the last one has no next; a cursor that no page gave is refused",
  P1: "permits are atomic: every operation on a key is atomic with respect to every other, from any process",
  P2: "permits are on the store's clock, which never goes back for a key",
  P3: "spacing: a permit comes at least cost x everyMs after the one before it; up to burst units at once after idleness, never more",
  P4: "bound: reserved ahead only while fewer than maxReserved are; otherwise granted is 0, with the exact time after which to try again",
  P5: "order: instants are given in the order of reservation; one that was given back goes to the next reservation that fits it, if it is still to come",
  P6: "repeats: the same id is answered the same reservation until keepMs after its last instant; a release frees once",
  P7: "release: all but the first keep instants of a reservation are given back, and nothing else",
  P8: "queue: a refused request with queueMs waits in line by its id, and later ones are judged as if those ahead had taken theirs",
  P9: "isolation and deadlines of permits: keys do not see each other; every call settles, with a DtError when it fails",
  P10: "terms: the first users' terms bind the key until 10 s after its last use; others are refused with DT_PACE_MISMATCH, without effect; formerTerms let two pass",
  P11: "bounds: one request reserves at most a day, unless it is one permit of a cost of 1 or less",
  P12: "reset: the key is forgotten but for its time and what comes within a minute, which keeps its distance; a damaged key is forgotten whole",
  P13: "inspection: what a key holds now, in which terms and up to when it is reserved; undefined when nothing is left; it changes nothing",
  P14: "listing of permits: every key of which something is left is on one of the pages, as R26 has it",
} as const;

/** A rule's number, such as `"R7"`. */
export type Rule = keyof typeof RULES;
