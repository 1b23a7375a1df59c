import { runConformance } from "@dt/conformance";
import { expect, it } from "vitest";
import { simulatedTarget } from "../src/mutants/simulated-target.ts";
import { inVirtualTime } from "../src/mutants/virtual-time.ts";

it("a store that keeps every rule passes every case, faults included", async () => {
  const report = await inVirtualTime((runtime) => runConformance(simulatedTarget("sound", runtime, {})));
  expect(report.failures.map((failure) => `${failure.case}: ${failure.message}`)).toEqual([]);
  expect(report.skipped).toEqual([]);
});
