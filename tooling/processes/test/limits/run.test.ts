import { describe, expect, it } from "vitest";
import { runLimits } from "../../src/limits/run.ts";
import { KINDS } from "../../src/limits/settings.ts";
import { sqlite } from "../../src/permits/stores/sqlite.ts";

describe("limits that change while real processes make calls", () => {
  it("hold for every kind of limiter, and leave nobody stuck", async () => {
    const settings = { kinds: KINDS, ofEach: 2, callers: 6, stayMs: 2_000 };
    const { kinds, stuck, violations } = await runLimits(sqlite, settings);
    expect({ stuck, violations }).toEqual({ stuck: 0, violations: [] });
    for (const kind of KINDS) expect(kinds[kind]?.calls, kind).toBeGreaterThan(10);
  });
});
