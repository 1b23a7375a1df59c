import { join } from "node:path";
import { runChild } from "../child.ts";
import { firstPrefix } from "../real-time.ts";
import type { NoisyMeasurement, NoisyNeighbour } from "./figures.ts";

const script = join(import.meta.dirname, "noisy-client.ts");

/** Beside the rounds: the start, and what is still on its way at the end of each. */
const SPARE_MS = 600_000;

/**
 * Ten topics on one connection, three ways in turn.
 * @param leadSeconds begins every round, and is not measured
 */
export async function noisyNeighbour(rounds: number, seconds: number, leadSeconds: number): Promise<NoisyNeighbour> {
  const prefix = await firstPrefix();
  const measuredMs = (rounds + 1) * 3 * (seconds + leadSeconds) * 1_000;
  const measured = await runChild<NoisyMeasurement>({
    script,
    args: [rounds, seconds, leadSeconds * 1_000].map(String),
    deadlineMs: 2 * measuredMs + SPARE_MS,
    prefix,
  });
  return { ...measured, first: prefix.length > 0 };
}
