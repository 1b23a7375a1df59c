import { styleText } from "node:util";
import { shown } from "../../terminal.ts";
import type { DemoResult } from "../measure/verdict.ts";

/** The verdict and the numbers behind it, as lines of text. */
export function reportText(result: DemoResult, stream: NodeJS.WriteStream): string[] {
  // One format at a time: with a list of them, Node 22 does not look whether the stream is a terminal.
  const colour = (name: "green" | "red", words: string): string => styleText(name, words, { stream });
  const mark = (pass: boolean): string => (pass ? colour("green", "✓") : colour("red", "✗"));
  const { timings, arrivalJitterMs: jitter, transitMs, headroom, limit, max } = result;
  const room = (1_000 * headroom) / limit;
  return [
    ...result.checks.map(({ check, pass, detail }) => `  ${mark(pass)} ${check}: ${detail}`),
    "",
    `  arrival jitter: 99 % within ${jitter.p99} ms, worst ${jitter.max} ms${result.release === "even" ? `; ${headroom} tokens of ${max} as headroom leave room for ${room.toFixed(0)} ms` : ""}`,
    `  from grant to arrival: median ${transitMs.p50} ms, 99 % within ${transitMs.p99} ms, worst ${transitMs.max} ms`,
    `  timings: interval ${timings.intervalMs} ms, a sync every ${timings.syncIntervalMs} ms, shares valid for ${timings.validityMs} ms, a silent worker removed after ${timings.staleAfterMs} ms`,
    ...(result.raisedPriority ? ["  the server and the workers ran with a raised priority"] : []),
    ...Object.entries(result.troubles).map(([what, count]) => shown(`  got over: ${what} (${count} ×)`)),
    "",
    result.pass ? colour("green", "PASSED") : colour("red", "FAILED"),
  ];
}
