/**
 * The conformance cases that can fail on another way to the same scripts (another protocol, TLS, a pooler, more nodes):
 * atomicity, names as they travel, deadlines and hints, cost. For `filter` of `conformance`. What the scripts compute
 * is the same on every way: one target of each store runs all cases in its tests, and `npm run conformance` runs all of
 * them on every target.
 */
export const TRANSPORT_CASES: RegExp = /^(?:R1|R15|R16|R17|P1|P9) /;
