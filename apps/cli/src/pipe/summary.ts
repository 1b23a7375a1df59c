import { EXIT } from "../exit-code.ts";
import { type Counts, totalOf } from "./counts.ts";
import { number, timeOf } from "./progress-line.ts";
import type { Outputs } from "./settings.ts";

/** How a run ended. */
export type End = "done" | "stopped" | "failed";

/** What a run did, and how to go on. */
export interface Summary {
  readonly input: string;
  readonly part: string;
  readonly end: End;
  /** Why it failed. */
  readonly failure?: string | undefined;
  /** Requests that this run began to send. */
  readonly sent: number;
  /** What became of the records of this run. */
  readonly run: Counts;
  /** Of this run and those that it went on from. */
  readonly total: Counts;
  readonly seconds: number;
  readonly recordsPerSecond: number;
  readonly outputs: Outputs;
  /** Undefined: it cannot be resumed. */
  readonly checkpoint: string | undefined;
}

/** @param stoppedWith the exit code of the signal that stopped the run, if one did */
export function exitCodeOf({ end, sent, total }: Summary, stoppedWith: number | undefined): number {
  if (end === "failed") return sent === 0 ? EXIT.usage : EXIT.failed;
  if (end === "stopped") return stoppedWith ?? EXIT.interrupted;
  return total.throttled + total.errors === 0 ? EXIT.ok : EXIT.attention;
}

/** The summary in words, a line each. */
export function textOf(summary: Summary): string {
  const { run, total, seconds, recordsPerSecond, outputs, part, input } = summary;
  const name = part === "1/1" ? input : `${input}, part ${part}`;
  const earlier = totalOf(total) - totalOf(run);
  const lines = [
    `${name}: ${number(totalOf(run))} records in ${timeOf(seconds)}, ${recordsPerSecond.toFixed(1)} a second${earlier === 0 ? "" : `; ${number(earlier)} in earlier runs`}`,
    `  success    ${number(total.success).padStart(11)}  ${outputs.success}`,
    `  throttled  ${number(total.throttled).padStart(11)}  ${outputs.throttled}`,
    `  errors     ${number(total.errors).padStart(11)}  ${outputs.errors}`,
    ...(total.dropped === 0 ? [] : [`  dropped    ${number(total.dropped).padStart(11)}`]),
    ...adviceOf(summary),
  ];
  return `${lines.join("\n")}\n`;
}

function adviceOf({ end, failure, sent, checkpoint, total, outputs }: Summary): string[] {
  if (end === "done")
    return total.throttled === 0 ? [] : [`What was throttled can be sent again: --retry-file ${outputs.throttled}`];
  const problem = sent === 0 ? "Nothing was sent" : "Could not go on";
  const why = end === "failed" ? `${problem}: ${failure?.replace(/\.$/, "")}.` : "Stopped before the end.";
  if (checkpoint !== undefined) return [`${why} The same command goes on from here (${checkpoint}).`];
  return [
    `${why} ${number(totalOf(total))} records of standard input were done; no --checkpoint was given to go on from.`,
  ];
}
