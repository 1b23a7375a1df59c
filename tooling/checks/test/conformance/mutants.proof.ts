import { readFileSync } from "node:fs";
import { conformanceCases } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { describe, expect, it } from "vitest";
import { judge, mutants } from "../../src/conformance/mutants/index.ts";
import { simulatedTarget } from "../../src/conformance/mutants/simulated-target.ts";

/** Virtual time needs no waiting, but a busy machine needs its time for a thousand calls. */
const LIMIT_MS = 60_000;

const cases = new Set(conformanceCases(simulatedTarget("any", systemRuntime, {})).map(({ name }) => name));
/** No mutant is rejected by these in the name of their own rule. */
const REJECT_NONE = [
  "what was answered is there after the network was cut in the middle of other calls",
  "no level is remembered for a member with resumeWithinMs 0, or that never had one",
  "onHint is there exactly when capabilities.hints is true",
  "after close reserve and release are refused as closed",
];
/** Cases by which a mutant was rejected, all of them. */
const showedTeeth = new Set<string>();

describe("the suite rejects a store", () => {
  it.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))(
    "that breaks %s: %s",
    async (rule, _, mutant) => {
      const { rejectedBy, failures } = await judge(mutant);
      expect(
        rejectedBy,
        `no case names ${rule}; it fails as\n${failures.map(({ rule, case: name }) => `${rule}: ${name}`).join("\n")}`,
      ).toBeDefined();
      for (const failure of failures) if (failure.rule === rule) showedTeeth.add(failure.case);
    },
    LIMIT_MS,
  );

  it("by each of its cases but four", () => {
    expect([...cases].filter((name) => !showedTeeth.has(name))).toEqual(REJECT_NONE);
  });
});

it("the table has every mutant with its rule, and names cases of the suite (`pnpm mutants` writes it)", () => {
  const page = readFileSync(new URL("../../mutants.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| (.+) \| ([RPBLK]\d+) \| (.+) \|$/gm)];
  expect(rows.map(([, name, rule]) => `${rule} ${name}`)).toEqual(mutants.map(({ name, rule }) => `${rule} ${name}`));
  expect(rows.map(([, , , rejectedBy]) => rejectedBy).filter((name) => !cases.has(name as string))).toEqual([]);
});

it("a store in which nothing is wrong is rejected by no case", async () => {
  const harmless = { name: "nothing is wrong", rule: "R14", flaw: {} } as const;
  expect(await judge(harmless)).toMatchObject({ rejectedBy: undefined, failures: [] });
});
