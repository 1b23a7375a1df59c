import { conformance, runConformance } from "@dt/conformance";
import { describe, expect, it } from "vitest";
import { podCountTarget } from "./support/targets.ts";

conformance({ describe, it }, podCountTarget);

it("what a store without a ledger cannot be asked is skipped, and the report says why", async () => {
  const report = await runConformance(podCountTarget);
  expect(report.failed).toBe(0);
  expect(report.passed).toBeGreaterThan(0);
  expect(report.skipped.map(({ why }) => why)).toContain("the store keeps no ledger (capabilities.ledger is false)");
});
