/**
 * What stores that compare and swap need: all writes of a key come one after the other, each after a look, so that
 * twenty processes on a small machine get some tens of permits a second; and a reservation is remembered for as long as
 * its permit may be used, in the value that is written each time.
 */
export const COMPARE_AND_SWAP = { leastEveryMs: 100, permitTtl: "2s" } as const;
