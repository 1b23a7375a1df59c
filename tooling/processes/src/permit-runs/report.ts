import type { RunResult } from "./evaluate.ts";

/** A run as lines for people. */
export function asText(result: RunResult): string {
  const { perProcess, arrivals } = result;
  const { p01, p50, p90, p99 } = arrivals.gapErrorMs;
  const { lateMs } = result;
  const lines = [
    `${result.store}: ${result.processes} processes, ${result.used} permits, one every ${result.everyMs} ms, at most ${result.maxReserved} reserved ahead`,
    `  ${result.configuration}`,
    `  closest on the store's clock ${fixed(result.closestMs)} ms; ${result.unusedIntervals} intervals that nobody had; most ahead ${result.mostAhead}`,
    `  kept ${result.kept} = used ${result.used} + wasted ${result.wasted}, in ${result.reservations} reservations over ${fixed(result.durationMs / 1_000)} s`,
    `  per process ${perProcess.least} to ${perProcess.most}, even ${fixed(perProcess.mean)}: within ${fixed(perProcess.spread * 100)} %`,
    `  woken after the instant: median ${lateMs.p50}, 90 % ${lateMs.p90}, 99 % ${lateMs.p99}, at most ${lateMs.max} ms`,
    `  distance of requests less ${result.everyMs} ms, as the HTTP server saw it: 1 % ${p01}, median ${p50}, 90 % ${p90}, 99 % ${p99} ms`,
    ...result.violations.map((violation) => `  WRONG: ${violation}`),
  ];
  return `${lines.join("\n")}\n`;
}

function fixed(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
