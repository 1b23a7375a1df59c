import type { Timings } from "../timings.ts";
import type { Grant } from "./boot-rules.ts";
import type { Answer, BootLog } from "./entry.ts";
import type { Violation } from "./violation.ts";

/** Answers so near to a grant tell of the store's clock at its time. */
const NEAR_MS = 5_000;
/** What two good clocks of one machine may drift apart in that time, and more. */
const DRIFT_MS = 10;

interface Reading {
  readonly atMs: number;
  readonly offsetMs: number;
  readonly errorMs: number;
}

/**
 * Checks that epochs are those of the store's clock, which all processes' answers together tell: all of them read one
 * monotonic clock. Without this, processes that number their epochs each for itself would pass as long as no number is
 * used too often.
 */
export function checkLabels(logs: readonly BootLog[], grants: readonly Grant[], timings: Timings): Violation[] {
  const readings = logs
    .flatMap((log) => log.entries.filter((entry) => entry.type === "answer").map(toReading))
    .sort((a, b) => a.atMs - b.atMs);
  const violations: Violation[] = [];
  let from = 0;
  for (const grant of [...grants].sort((a, b) => a.atMs - b.atMs)) {
    while ((readings[from]?.atMs ?? Number.POSITIVE_INFINITY) < grant.atMs - NEAR_MS) from += 1;
    const best = bestNear(readings, from, grant.atMs);
    if (best === undefined) continue;
    const trueMs = grant.atMs + best.offsetMs;
    const slackMs = timings.clockErrorMs + best.errorMs + DRIFT_MS;
    const first = Math.floor((trueMs - slackMs) / timings.intervalMs);
    const last = Math.floor((trueMs + slackMs) / timings.intervalMs);
    if (grant.epoch < first || grant.epoch > last) {
      const detail = `granted in ${grant.epoch} when the store's clock was in ${first} to ${last}`;
      violations.push({ rule: "epoch-label", boot: grant.boot, epoch: grant.epoch, detail });
    }
  }
  return violations;
}

function toReading({ sentMs, atMs, storeTimeMs }: Answer): Reading {
  return { atMs, offsetMs: storeTimeMs - (sentMs + atMs) / 2, errorMs: (atMs - sentMs) / 2 };
}

function bestNear(readings: readonly Reading[], from: number, atMs: number): Reading | undefined {
  let best: Reading | undefined;
  for (let index = from; index < readings.length; index++) {
    const reading = readings[index] as Reading;
    if (reading.atMs > atMs + NEAR_MS) break;
    if (best === undefined || reading.errorMs < best.errorMs) best = reading;
  }
  return best;
}
