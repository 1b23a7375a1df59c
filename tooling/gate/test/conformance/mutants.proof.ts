import { readFileSync } from "node:fs";
import { conformanceCases } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { describe, expect, it } from "vitest";
import { judge, mutants } from "../../src/conformance/mutants/index.ts";
import { simulatedTarget } from "../../src/conformance/mutants/simulated-target.ts";

/** Virtual time needs no waiting, but a busy machine needs its time for a thousand calls. */
const LIMIT_MS = 60_000;

describe("the suite rejects a store", () => {
  it.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))(
    "that breaks %s: %s",
    async (rule, _, mutant) => {
      const verdict = await judge(mutant);
      expect(verdict.rejectedBy, `no case names ${rule}; it fails as\n${verdict.failures.join("\n")}`).toBeDefined();
    },
    LIMIT_MS,
  );
});

it("the table in the documentation has every mutant with its rule, and names cases of the suite (`pnpm mutants` writes it)", () => {
  const page = readFileSync(new URL("../../../../docs/conformance-mutants.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| (.+) \| ([RP]\d+) \| (.+) \|$/gm)];
  expect(rows.map(([, name, rule]) => `${rule} ${name}`)).toEqual(mutants.map(({ name, rule }) => `${rule} ${name}`));
  const cases = new Set(conformanceCases(simulatedTarget("any", systemRuntime, {})).map(({ name }) => name));
  expect(rows.map(([, , , rejectedBy]) => rejectedBy).filter((name) => !cases.has(name as string))).toEqual([]);
});
