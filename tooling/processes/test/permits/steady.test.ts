import { describe, expect, it } from "vitest";
import { runSteady } from "../../src/permits/steady.ts";
import { stores } from "../../src/permits/stores/index.ts";

describe.each(stores)("four real processes on $name", (store) => {
  it("use 40 to 150 permits: none too close, none lost, no more reserved ahead than allowed", {
    timeout: 240_000,
  }, async () => {
    // Seconds of permits for each store, slow ones included.
    const permits = store.leastEveryMs === undefined ? 150 : 40;
    const settings = { processes: 4, permits, everyMs: 10, maxReserved: 4, callers: 2 };
    const { violations, ...result } = await runSteady(store, settings);
    // A start takes turns that are not even, and counts for much in so few permits: `npm run permits` judges that.
    expect(violations.filter((violation) => !violation.startsWith("processes had"))).toEqual([]);
    expect(result.perProcess.least).toBeGreaterThan(result.perProcess.mean / 2);
    expect(result.used).toBeGreaterThanOrEqual(permits);
    expect(result.mostAhead).toBeGreaterThan(0);
  });
});
