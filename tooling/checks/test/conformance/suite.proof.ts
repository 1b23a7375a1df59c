import { runConformance } from "@dt/conformance";
import { describe, expect, it } from "vitest";
import type { Flaw } from "../../src/conformance/mutants/flaw.ts";
import { simulatedTarget } from "../../src/conformance/mutants/simulated-target.ts";
import { inVirtualTime } from "../../src/conformance/mutants/virtual-time.ts";

const LIMIT_MS = 60_000;
const YOUNG = "the store does not know the age of its data (capabilities.dataAge is not true)";
const OLD = "a group that is new in old data does not learn (capabilities.dataAge is true)";

describe("a store that keeps every rule passes every case, faults included,", () => {
  it.each<[string, Flaw, readonly string[]]>([
    [
      "when it may lose its data",
      {},
      ["the target has no holdUp", "the store may lose its data (capabilities.losesData is true)", YOUNG],
    ],
    [
      "when it can tell the age of its data",
      { capabilities: { dataAge: true } },
      ["the target has no holdUp", "the store may lose its data (capabilities.losesData is true)", OLD],
    ],
    [
      "when it keeps its data, and serves changes in transactions with locks",
      { transactions: { unfair: true, inspectLocks: true }, capabilities: { losesData: false } },
      ["the store cannot lose its data (capabilities.losesData is false)", YOUNG],
    ],
  ])(
    "%s",
    async (_, sound, skips) => {
      const report = await inVirtualTime((runtime) => runConformance(simulatedTarget("sound", runtime, sound)));
      expect(report.failures.map((failure) => `${failure.case}: ${failure.message}`)).toEqual([]);
      expect([...new Set(report.skipped.map(({ why }) => why))].sort()).toEqual([...skips].sort());
    },
    LIMIT_MS,
  );
});
