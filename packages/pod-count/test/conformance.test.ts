import { conformance, runConformance, type StoreTarget } from "@dt/conformance";
import { fixedSource, podCountCapabilities, podCountStore } from "@dt/pod-count";
import { describe, expect, it } from "vitest";

const target: StoreTarget = {
  name: "pod-count",
  capabilities: podCountCapabilities,
  sharesData: false,
  createStore: () => podCountStore({ source: fixedSource(3), ordinal: 1 }),
};

conformance({ describe, it }, target);

it("what a store without a ledger cannot be asked is skipped, and the report says why", async () => {
  const report = await runConformance(target);
  expect(report.failed).toBe(0);
  expect(report.passed).toBeGreaterThan(0);
  expect(report.skipped.map(({ why }) => why)).toContain("the store keeps no ledger (capabilities.ledger is false)");
});
