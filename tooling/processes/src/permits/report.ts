import type { RunResult } from "./steady.ts";

/** A run without faults as lines for people. */
export function asText(result: RunResult): string {
  const { perProcess, gapErrorMs: gap, lateMs: late } = result;
  const lines = [
    `${result.store}: ${result.processes} processes, ${result.used} permits, one every ${result.everyMs} ms, at most ${result.maxReserved} reserved ahead`,
    `  closest on the store's clock ${fixed(result.closestMs)} ms; ${result.unusedIntervals} intervals that nobody had; most ahead ${result.mostAhead}`,
    `  ${result.reservations} reservations over ${fixed(result.durationMs / 1_000)} s, ${result.wasted} permits wasted`,
    `  per process ${perProcess.least} to ${perProcess.most}, even ${fixed(perProcess.mean)}: within ${fixed(perProcess.spread * 100)} %`,
    `  woken after the instant: median ${late.p50}, 90 % ${late.p90}, 99 % ${late.p99}, at most ${late.max} ms`,
    `  distance of uses less ${result.everyMs} ms: 1 % ${gap.p01}, median ${gap.p50}, 90 % ${gap.p90}, 99 % ${gap.p99} ms`,
    ...result.violations.map((violation) => `  WRONG: ${violation}`),
  ];
  return `${lines.join("\n")}\n`;
}

function fixed(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
