/**
 * Writes mutants.md of this package: runs the suite against every mutant and names the case that rejected it
 * (`pnpm mutants` in this folder).
 */
import { writeFileSync } from "node:fs";
import { judge, mutants } from "./mutants/index.ts";

const rows: string[] = [];
for (const mutant of mutants) {
  const { mutant: name, rule, rejectedBy } = await judge(mutant);
  if (rejectedBy === undefined) throw new Error(`no case names ${rule} for a store where ${name}`);
  rows.push(`| ${name} | ${rule} | ${rejectedBy} |`);
}

writeFileSync(
  new URL("../../mutants.md", import.meta.url),
  `# Mutants

A conformance suite is as good as the faults that it finds. These ${rows.length} stores are broken on purpose, each in one way, and
each is rejected by a case that names the rule it breaks. Each case of the suite but four rejects one of them at least.
Written by \`pnpm mutants\` in \`tooling/checks\`; the proof fails when it is out of date.

| the store's fault | rule | rejected by |
|---|---|---|
${rows.join("\n")}
`,
);
