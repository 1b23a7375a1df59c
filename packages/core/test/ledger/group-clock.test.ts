import fc from "fast-check";
import { expect, it } from "vitest";
import { advanceClock } from "../../src/ledger/group-clock.ts";
import type { GroupRow } from "../../src/ledger/table.ts";

it("a group's time never goes back and nothing lapses backwards, not even by a rounding, whatever clocks and callers show", () => {
  // A process's clock counts from its start, and callers may have seen much later times: differences of such numbers
  // are not exact.
  const timeMs = (most: number) => fc.integer({ min: 0, max: most * 1_000 }).map((us) => us / 1_000);
  const step = fc.record({ clockMs: timeMs(1e5), observedMs: fc.oneof(fc.constant(0), timeMs(1e7)) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
      const row = { lastMs: 0.123, offsetMs: 0, lapsedMs: 0, quietLimitMs: 2_500 } as GroupRow;
      for (const { clockMs, observedMs } of steps) {
        const { lastMs, lapsedMs } = row;
        const nowMs = advanceClock(row, clockMs, observedMs);
        expect(nowMs).toBe(row.lastMs);
        expect(nowMs).toBeGreaterThanOrEqual(Math.max(lastMs, observedMs));
        expect(row.lapsedMs).toBeGreaterThanOrEqual(lapsedMs);
      }
    }),
    { numRuns: 500 },
  );
});
