import { judge, type MutantVerdict, mutants } from "@dt/conformance/mutants";
import { describe, expect, it } from "vitest";

/** Virtual time needs no waiting, but a busy machine needs its time for a thousand calls. */
const LIMIT_MS = 60_000;

const verdicts = new Map<string, Promise<MutantVerdict>>();

function verdictOn(mutant: (typeof mutants)[number]): Promise<MutantVerdict> {
  const verdict = verdicts.get(mutant.name) ?? judge(mutant);
  verdicts.set(mutant.name, verdict);
  return verdict;
}

describe("the suite rejects a store", () => {
  it.each(mutants.map((mutant) => [mutant.rule, mutant.name, mutant] as const))(
    "that breaks %s: %s",
    async (rule, _, mutant) => {
      const verdict = await verdictOn(mutant);
      expect(verdict.rejectedBy, `no case names ${rule}; it fails as\n${verdict.failures.join("\n")}`).toBeDefined();
    },
    LIMIT_MS,
  );
});

it(
  "the table of mutants in the documentation is this run's (vitest -u writes it)",
  async () => {
    const rows: string[] = [];
    for (const mutant of mutants) {
      const { mutant: name, rule, rejectedBy } = await verdictOn(mutant);
      rows.push(`| ${name} | ${rule} | ${rejectedBy} |`);
    }
    await expect(page(rows)).toMatchFileSnapshot("../../../docs/conformance-mutants.md");
  },
  mutants.length * LIMIT_MS,
);

function page(rows: readonly string[]): string {
  return `# Mutants

The conformance suite is as good as what it rejects. These ${rows.length} stores are broken on purpose, each in one way, and each is rejected by a
case that names the rule it breaks. Made by \`packages/conformance/test/mutants.test.ts\`, which fails when this page is not what
the suite does.

| the store's fault | rule | rejected by |
|---|---|---|
${rows.join("\n")}
`;
}
