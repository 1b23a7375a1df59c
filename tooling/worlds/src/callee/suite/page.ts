import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type RunRecord, readRecord } from "../../sim/records/record.ts";
import type { Scenario } from "../scenario.ts";
import { scenarioNamed } from "../scenarios/index.ts";
import type { SuiteResult } from "./results.ts";
import { percent } from "./table.ts";
import { missedBy, targetOf } from "./targets.ts";

/** The name of the suite's record. */
export const SUITE_RECORD = "callee-suite";

const page = fileURLToPath(new URL("../../../../../docs/adaptive.md", import.meta.url));
const FROM = "<!-- simulate suite -->\n";
const TO = "<!-- end of simulate suite -->";

/** The page that shows the suite: as it stands, and as it must be by the record. */
export function suiteOnPage(): { readonly stands: string; readonly must: string } {
  const stands = readFileSync(page, "utf8");
  const [start, end] = [stands.indexOf(FROM), stands.indexOf(TO)];
  if (start < 0 || end < start) throw new Error(`docs/adaptive.md has no place for the suite: ${FROM}${TO}`);
  const text = suiteText(readRecord<readonly SuiteResult[]>(SUITE_RECORD));
  return { stands, must: stands.slice(0, start + FROM.length) + text + stands.slice(end) };
}

export function writeSuiteOnPage(): void {
  writeFileSync(page, suiteOnPage().must);
}

/** What stands against the targets; the others are there to compare. */
const JUDGED = ["automatic", "automatic+signal", "queue-wait+signal"];

/** The results as Markdown: ours beside their targets, then everybody's goodput and latency. */
export function suiteText({ command, date, commit, seconds, result }: RunRecord<readonly SuiteResult[]>): string {
  const scenarios = [...new Set(result.map(({ scenario }) => scenario))];
  const algorithms = [...new Set(result.map(({ algorithm }) => algorithm))];
  const cell = (scenario: string, algorithm: string): SuiteResult | undefined =>
    result.find((one) => one.scenario === scenario && one.algorithm === algorithm);
  const judged = scenarios.flatMap((scenario) =>
    (scenario === "T1" ? ["throttle"] : JUDGED).flatMap((algorithm) => {
      const one = cell(scenario, algorithm);
      return one === undefined ? [] : [judgedRow(one)];
    }),
  );
  const compared = algorithms.map((algorithm) => [
    `\`${algorithm}\``,
    ...scenarios.map((scenario) => {
      const one = cell(scenario, algorithm);
      return one === undefined ? "" : `${Math.round(100 * one.goodput)} / ${ratio(one.p99)}`;
    }),
  ]);
  return [
    `\`${command.replace(" --save", "")}\`, ${date.slice(0, 10)}, commit \`${commit.slice(0, 12)}\`, ${Math.max(1, Math.round(seconds / 60))} min; ${result[0]?.seeds ?? 0} seeds each, in virtual time, so that the machine does not matter. Means over the seeds; the worst seed in brackets.\n`,
    table(["scenario", "limit", "goodput", "p99", "settles, s", "Jain", "target"], judged),
    "Everybody, goodput in percent of the ideal / p99 over the one without load:\n",
    table(["", ...scenarios], compared),
    ...scenarios.map((scenario) => `- ${(scenarioNamed(scenario) as Scenario).title}`),
    "",
  ].join("\n");
}

function judgedRow(one: SuiteResult): readonly string[] {
  const target = targetOf(one.scenario, one.algorithm.endsWith("+signal"));
  const missed = target && missedBy(target, { ...one, p99: one.p99 ?? Number.POSITIVE_INFINITY });
  return [
    one.scenario,
    `\`${one.algorithm}\``,
    `${percent(one.goodput)} (${percent(one.worst.goodput)})`,
    `${ratio(one.p99)} (${ratio(one.worst.p99)})`,
    `${one.settleSeconds.toFixed(1)} (${one.worst.settleSeconds.toFixed(1)})`,
    `${one.jain.toFixed(3)} (${one.worst.jain.toFixed(3)})`,
    missed === undefined ? "none" : missed.length === 0 ? "reached" : missed.join(", "),
  ];
}

const ratio = (value: number | null): string => (value === null ? "-" : value.toFixed(2));

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}
