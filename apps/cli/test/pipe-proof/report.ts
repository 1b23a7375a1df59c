import { number } from "../../src/pipe/progress-line.ts";
import { faultsOf, mayRepeat, type ProofResult } from "./run.ts";

/** What happened, a line for each figure. */
function rowsOf(result: ProofResult): [string, string][] {
  const { settings, judged, callee, busiestSecond, killed, seconds } = result;
  const { lines, errors } = judged;
  const [first, last] = memoryOf(result);
  return [
    ["records, processes, limit", `${number(settings.records)}, ${settings.parts}, ${settings.max}`],
    ["in how many seconds", seconds.toFixed(1)],
    ["killed (SIGKILL), and begun again", `process ${killed.part}, after ${killed.atSeconds.toFixed(1)} s`],
    ["lines in success / throttled / errors", [lines.success, lines.throttled, lines.errors].map(number).join(" / ")],
    ["lost: in no file", number(judged.lost)],
    ["lines that are not what was read", number(judged.wrong)],
    ["written twice, by process", judged.repeatedOfPart.map(number).join(" / ")],
    ["may be written twice after a crash", number(mayRepeat(settings))],
    ["of these in two different files", number(judged.repeatedElsewhere)],
    ["records with a success", number(judged.succeeded)],
    ["accepted by the callee; again", `${number(callee.distinct)}; ${number(callee.repeated)}`],
    [
      "refused / failed / never answered / cut off there",
      [callee.refused, callee.failed, callee.hung, callee.cut].map(number).join(" / "),
    ],
    ["most calls in one second there", number(busiestSecond)],
    ["memory of a process, first and last fifth, MiB", `${first.toFixed(0)}, ${last.toFixed(0)}`],
    ...Object.entries(errors).map(([text, count]): [string, string] => [`error: ${text}`, number(count)]),
  ];
}

export function textOf(result: ProofResult): string {
  const faults = faultsOf(result);
  const rows = rowsOf(result).map(([what, value]) => `${what.padEnd(52)} ${value}`);
  return `${rows.join("\n")}\n${faults.length === 0 ? "Nothing lost, and nothing repeated beyond what is said.\n" : `${faults.join("\n")}\n`}`;
}

/**
 * The mean memory of the processes that were not killed, in the first and the last fifth of the run, in MiB. Until the
 * first calls they only start.
 */
function memoryOf({ memory, killed }: ProofResult): [number, number] {
  const begun = memory.filter(({ accepted }) => accepted > 0);
  const fifth = Math.max(1, Math.floor(begun.length / 5));
  const mean = (samples: typeof memory): number => {
    const values = samples.flatMap(
      ({ rss }) => rss.filter((one, part) => one !== undefined && part + 1 !== killed.part) as number[],
    );
    return values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
  };
  const alive = begun.filter(({ rss }) => rss.every((one) => one !== undefined));
  return [mean(begun.slice(0, fifth)), mean(alive.slice(-fifth))];
}
