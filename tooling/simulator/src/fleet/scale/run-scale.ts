import type { Violation } from "../check/violation.ts";
import { LargeFleet, type PhaseReport } from "./fleet.ts";

/** What `--scale` reports. */
export interface ScaleReport {
  readonly size: number;
  readonly phases: readonly PhaseReport[];
  readonly violations: readonly Violation[];
}

/**
 * A join storm from 10 to `size` within a minute, a rolling restart of all within another, the loss of half at once.
 */
export async function runScale(size: number, say: (line: string) => void): Promise<ScaleReport> {
  const fleet = new LargeFleet({ max: 10 * size }, 1);
  const phases: PhaseReport[] = [];
  const steps = [
    () => fleet.grow("start of ten", Math.min(10, size), 1_000),
    () => fleet.grow("join storm within 60 s", size, 60_000),
    () => fleet.rollingRestart("rolling restart within 60 s", 60_000),
    () => fleet.loseHalf("half crash at once"),
  ];
  for (const step of steps) {
    const report = await step();
    phases.push(report);
    say(JSON.stringify(report));
  }
  return { size, phases, violations: fleet.scenario.violations };
}
