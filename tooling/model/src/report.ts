import type { Found, Progress } from "./explore/walk.ts";

/** What the command tells while it goes on: lines on standard error. */

/** Between two lines of progress. */
const PROGRESS_MS = 5_000;

export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

export function progressOf(name: string): Progress {
  let shownMs = performance.now();
  return ({ states, transitions, depth, frontier }) => {
    if (performance.now() - shownMs < PROGRESS_MS) return;
    shownMs = performance.now();
    say(`${name}: ${states} states, ${transitions} transitions, depth ${depth}, ${frontier} to expand`);
  };
}

/** An exploration, told when it has ended, and as a value for the report. */
export function timed<V extends { readonly rule: string; readonly detail: string }>(
  name: string,
  explore: (progress: Progress) => Found<V>,
): Found<V> & { readonly name: string; readonly seconds: number } {
  const startMs = performance.now();
  const found = explore(progressOf(name));
  const seconds = (performance.now() - startMs) / 1_000;
  say(`${name}: ${told(found)}, ${seconds.toFixed(0)} s`);
  showTrace(found.trace);
  return { name, seconds: Math.round(seconds), ...found };
}

/** How a trap was found. */
export interface Caught {
  readonly name: string;
  readonly what: string;
  readonly caught: boolean;
  readonly steps: number | null;
  readonly detail: string | null;
  readonly trace: readonly (readonly string[])[];
}

export function showFinding({ name, what, caught, steps, detail, trace }: Caught): void {
  say(`${name} (${what}): ${caught ? `${steps} steps, ${detail}` : "NOT CAUGHT"}`);
  showTrace(trace);
}

/** Prints the report. The exit code: 1 where a rule was broken, or a trap was not found. */
export function print(
  explorations: readonly (Found<unknown> & { readonly name: string; readonly bounds: object })[],
  findings: readonly Caught[],
  json: boolean,
): number {
  const violations = explorations.filter(({ violation }) => violation).length;
  const report = {
    states: sum(explorations.map(({ states }) => states)),
    transitions: sum(explorations.map(({ transitions }) => transitions)),
    depth: Math.max(0, ...explorations.map(({ depth }) => depth)),
    violations,
    explorations: explorations.map(({ trace: _, ...rest }) => rest),
    traps: findings.map(({ name, caught, steps, detail }) => ({ name, caught, steps, detail })),
  };
  process.stdout.write(`${JSON.stringify(report, null, json ? 0 : 2)}\n`);
  return violations > 0 || findings.some(({ caught }) => !caught) ? 1 : 0;
}

function told({
  states,
  transitions,
  depth,
  violation,
}: Found<{ readonly rule: string; readonly detail: string }>): string {
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
