import { styleText } from "node:util";
import { shown } from "../../terminal.ts";
import type { ServerView } from "../measure/server-view.ts";
import { type DemoResult, KEPT } from "../measure/verdict.ts";

/** On a machine that has time for the demo, calls are on their way for a few milliseconds. */
const BUSY_TRANSIT_MS = 30;

/** The two fleets side by side, the verdict and the numbers behind it, as lines of text. */
export function reportText(result: DemoResult, stream: NodeJS.WriteStream): string[] {
  // One format at a time: with a list of them, Node 22 does not look whether the stream is a terminal.
  const colour = (name: "green" | "red" | "yellow", words: string): string => styleText(name, words, { stream });
  const mark = (pass: boolean): string => (pass ? colour("green", "✓") : colour("red", "✗"));
  const busy = result.transitMs.p99 >= BUSY_TRANSIT_MS;
  const last = verdict(result, busy);
  return [
    ...comparison(result),
    "",
    ...result.checks.map(({ check, pass, detail }) => `  ${mark(pass)} ${check}: ${detail}`),
    "",
    ...Object.entries(result.troubles).map(([what, count]) => shown(`  got over: ${what} (${count} ×)`)),
    ...(busy ? busyWords(result) : []),
    colour(last.colour, last.words),
  ];
}

function comparison({ max, fixedParts, ...shared }: DemoResult): string[] {
  const row = (name: string, of: (view: ServerView) => string): string =>
    `  ${name.padEnd(32)}${of(shared).padStart(14)}${of(fixedParts).padStart(16)}`;
  return [
    `  ${"what the server counted".padEnd(32)}${"shared limit".padStart(14)}${"fixed parts".padStart(16)}`,
    row("most calls in any second", ({ worstSlidingSecond }) => `${worstSlidingSecond} of ${max}`),
    row("calls refused", ({ rejected429, served }) => `${rejected429} of ${served + rejected429}`),
    row("calls a second after the leave", ({ perSecondAfterLeave }) => `${perSecondAfterLeave} of ${max}`),
  ];
}

/** What a slow machine does to the numbers. */
function busyWords({ transitMs, arrivalJitterMs }: DemoResult): string[] {
  const late = `1 call in 100 took ${transitMs.p99} ms or more to reach the server, the slowest ${transitMs.max} ms`;
  return [
    `  This machine was busy: ${late}.`,
    `  So calls came up to ${arrivalJitterMs.max} ms closer together than they were granted.`,
    "",
  ];
}

/** The last line. A machine that delays calls by as much as the reserve allows for says nothing of the throttle. */
function verdict({ pass, checks }: DemoResult, busy: boolean): { colour: "green" | "red" | "yellow"; words: string } {
  if (pass) return { colour: "green", words: "PASSED" };
  const kept = checks.every((one) => one.pass || !KEPT.includes(one.check));
  if (!busy || !kept) return { colour: "red", words: "FAILED" };
  const again = "Run it again when the machine has less to do, or with --headroom 10.";
  return { colour: "yellow", words: `NOT PASSED: the limit was kept, on a machine too busy for the rest. ${again}` };
}
