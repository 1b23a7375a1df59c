/**
 * Conformance cases, for `filter` of `conformance`, on another way to the same scripts (another protocol, TLS, a
 * pooler, more nodes). What the scripts compute is the same on every way: one target of each store runs all cases in
 * its tests, and `npm run conformance` runs all of them on every target.
 */

/** `npm test`: that calls arrive, at once and whole, on this way too. */
export const ARRIVAL_CASES: RegExp = /^(?:R1|P1|B1|K1) /;

/** The proof: whatever can fail on another way: names as they travel, deadlines and hints, cost. */
export const TRANSPORT_CASES: RegExp = /^(?:R1|R15|R16|R17|P1|P9|B1|B10|K1|K10|K11|L1) /;
