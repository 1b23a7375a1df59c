/** `npm run -s model`: see `options.ts` for what it does. */

import * as ledger from "@dt/core/ledger";
import { DEFAULT_BOUNDS } from "./bounds.ts";
import { type Exploration, explore, type Progress } from "./explore/explore.ts";
import { HELP, type ModelOptions, parseOptions } from "./options.ts";
import { FULL_RUN, type Run } from "./runs.ts";
import { trapsNamed } from "./traps/catalogue.ts";
import { type Finding, spring } from "./traps/spring.ts";
import { allRules } from "./world/world.ts";

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Between two lines of progress. */
const PROGRESS_MS = 5_000;

try {
  process.exitCode = main(parseOptions(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
  say(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

function main(options: ModelOptions): number {
  if (options.command === "help") {
    process.stdout.write(HELP);
    return 0;
  }
  const traps = trapsNamed(options.traps);
  const runs = runsOf(options);
  const explorations = runs.map((run) => {
    const bounds = { ...DEFAULT_BOUNDS, ...run.bounds };
    const startMs = performance.now();
    const found = explore({ bounds, ledger, flaw: undefined, rules: allRules(bounds) }, progressOf(run.name));
    const seconds = (performance.now() - startMs) / 1_000;
    say(`${run.name}: ${told(found)}, ${seconds.toFixed(0)} s`);
    showTrace(found.trace);
    return { name: run.name, bounds: run.bounds, seconds: Math.round(seconds), ...found };
  });
  const findings: Finding[] = [];
  for (const trap of traps) {
    const finding = spring(trap);
    findings.push(finding);
    say(
      `${finding.name} (${finding.what}): ${finding.caught ? `${finding.steps} steps, ${finding.detail}` : "NOT CAUGHT"}`,
    );
    showTrace(finding.trace);
  }
  const violations = explorations.filter(({ violation }) => violation).length;
  const report = {
    states: sum(explorations.map(({ states }) => states)),
    transitions: sum(explorations.map(({ transitions }) => transitions)),
    depth: Math.max(0, ...explorations.map(({ depth }) => depth)),
    violations,
    explorations: explorations.map(({ trace: _, ...rest }) => rest),
    traps: findings.map(({ name, caught, steps, detail }) => ({ name, caught, steps, detail })),
  };
  process.stdout.write(`${JSON.stringify(report, null, options.json ? 0 : 2)}\n`);
  return violations > 0 || findings.some(({ caught }) => !caught) ? 1 : 0;
}

/** Named traps alone are shown without the explorations. */
function runsOf({ bounds, traps, run }: ModelOptions): readonly Run[] {
  if (bounds) return [{ name: "with the bounds given", bounds }];
  if (run !== undefined) return FULL_RUN.filter(({ name }) => name.includes(run));
  return traps !== undefined && traps.length > 0 ? [] : FULL_RUN;
}

function progressOf(name: string): Progress {
  let shownMs = performance.now();
  return ({ states, transitions, depth, frontier }) => {
    if (performance.now() - shownMs < PROGRESS_MS) return;
    shownMs = performance.now();
    say(`${name}: ${states} states, ${transitions} transitions, depth ${depth}, ${frontier} to expand`);
  };
}

function told({ states, transitions, depth, violation }: Exploration): string {
  const figures = `${states} states, ${transitions} transitions, depth ${depth}`;
  return violation
    ? `VIOLATION of ${violation.rule}: ${violation.detail}; ${figures}`
    : `no violation; ${figures}, exhausted`;
}

function showTrace(trace: readonly (readonly string[])[]): void {
  trace.forEach((lines, index) => {
    for (const [place, line] of lines.entries()) say(`  ${place === 0 ? `${index + 1}.`.padStart(4) : "    "} ${line}`);
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
