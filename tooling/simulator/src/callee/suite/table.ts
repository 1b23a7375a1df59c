import type { Scenario } from "../scenario.ts";
import { scenarioNamed } from "../scenarios/index.ts";
import type { SuiteResult } from "./results.ts";
import { missedBy, type Target, targetOf } from "./targets.ts";

/** The limiters that are held against the targets; the others are there to compare. */
const OURS = /^(?:automatic|queue-wait\+signal|automatic\+signal)$/;
/** In T1 the throttle is. */
const THROTTLE = /^throttle$/;

/** A table for each scenario, beside its targets. */
export function tables(results: readonly SuiteResult[]): string {
  const names = [...new Set(results.map(({ scenario }) => scenario))];
  return names
    .map((name) => {
      const title = (scenarioNamed(name) as Scenario).title;
      const rows = results.filter(({ scenario }) => scenario === name).map(rowOf);
      return `${title}\n${aligned([HEAD, ...rows, ...targetRows(name)])}\n`;
    })
    .join("\n");
}

const HEAD = ["", "goodput", "p99", "settles", "Jain", "sent", "timeouts", "refused", "after", ""];

function rowOf(result: SuiteResult): string[] {
  const { algorithm, goodput, p99, settleSeconds, jain, sent, timeouts, refused, afterwards } = result;
  const judged = result.scenario === "T1" ? THROTTLE : OURS;
  const target = judged.test(algorithm) ? targetOf(result.scenario, algorithm.endsWith("+signal")) : undefined;
  const missed = target && missedBy(target, { ...result, p99: p99 ?? Number.POSITIVE_INFINITY });
  return [
    algorithm,
    percent(goodput),
    p99 === null ? "-" : p99.toFixed(2),
    `${settleSeconds.toFixed(1)} s`,
    jain.toFixed(3),
    percent(sent),
    percent(timeouts),
    percent(refused),
    afterwards === null ? "" : percent(afterwards),
    missed === undefined ? "" : missed.length === 0 ? "reached" : missed.join(", "),
  ];
}

function targetRows(scenario: string): string[][] {
  const signal = targetOf(scenario, true);
  const latencyOnly = targetOf(scenario, false);
  if (signal === undefined || latencyOnly === undefined) return [];
  if (signal === latencyOnly) return [targetRow("target", signal)];
  return [targetRow("target", latencyOnly), targetRow("target with signal", signal)];
}

function targetRow(name: string, { goodput, p99, settleSeconds, jain, sent, timeouts, refused }: Target): string[] {
  return [
    name,
    `>= ${percent(goodput)}`,
    p99 === Number.POSITIVE_INFINITY ? "" : `<= ${p99.toFixed(2)}`,
    settleSeconds === undefined ? "" : `<= ${settleSeconds} s`,
    jain === undefined ? "" : `>= ${jain}`,
    sent === undefined ? "" : `<= ${percent(sent)}`,
    timeouts === undefined ? "" : percent(timeouts),
    refused === undefined ? "" : `<= ${percent(refused)}`,
    "",
    "",
  ];
}

/** The first and the last column to the left, numbers to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => {
          const width = widths[at] as number;
          return at === 0 || at === columns - 1 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
