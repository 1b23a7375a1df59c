import type { Convergence } from "../measure/convergence.ts";
import type { DemoSettings } from "../measure/facts.ts";
import { TIMINGS } from "../timings.ts";

/** What is about to be shown, in a few lines. */
export function introduction(settings: DemoSettings, part: number, store: string): string[] {
  const { max, headroom, workers, seconds } = settings;
  const limit = max - headroom;
  const reserve = headroom > 0 ? ` (the server's ${max}, with ${headroom} in reserve)` : "";
  return [
    `Two fleets of ${workers} processes run side by side on this machine for ${seconds} s.`,
    `Each fleet calls a server of its own, as often as it may. A server takes ${max} calls`,
    "in any second and refuses the rest with 429.",
    `  shared limit  with @dt: the processes share ${limit} calls a second${reserve} through ${store}`,
    `  fixed parts   without: each process keeps to ${part} calls a second, ${limit} / ${workers}, as it was configured`,
  ];
}

/** A change of the fleets, and what each makes of it. */
export function happened({ kind, worker }: Convergence): string {
  return {
    start: "all processes start",
    join: `process ${worker} joins: with the shared limit the others make room, with fixed parts its calls come on top`,
    kill: `process ${worker} is killed without warning (SIGKILL): after ${TIMINGS.staleAfterMs / 1_000} s of silence its share goes to the others; its fixed part stays unused`,
    leave: `process ${worker} leaves: with the shared limit the others take over, with fixed parts its part stays unused`,
  }[kind];
}

/** How soon the fleet that shares its limit uses all of it. */
export function recovered(tookMs: number, limit: number): string {
  return `shared limit: all ${limit} calls a second are divided among the processes after ${(tookMs / 1_000).toFixed(1)} s`;
}
