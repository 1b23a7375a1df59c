import type { Convergence } from "../measure/convergence.ts";
import type { DemoSettings } from "../measure/facts.ts";
import { TIMINGS } from "../timings.ts";

/** What is about to be shown, in lines that fit a narrow terminal. */
export function introduction(settings: DemoSettings, part: number, store: string): string[] {
  const { max, headroom, workers, seconds } = settings;
  const limit = max - headroom;
  const reserve = headroom > 0 ? `, with ${headroom} in reserve` : "";
  return [
    `Two fleets of ${workers} processes run side by side on this machine for ${seconds} s.`,
    `Each fleet calls a server of its own, as often as it may. A server takes ${max}`,
    "calls in any second and refuses the rest with 429.",
    "",
    `  shared limit: with @dt, all processes share ${limit} calls a second`,
    `                through ${store}${reserve}`,
    `  fixed parts:  without, each process keeps to its own ${part} a second (${limit} / ${workers})`,
  ];
}

/** A change of the fleets, and what each makes of it: a line each. */
export function happened({ kind, worker }: Convergence): string[] {
  const silence = TIMINGS.staleAfterMs / 1_000;
  return {
    start: ["all processes start"],
    join: [`process ${worker} joins`, "shared limit: the others make room; fixed parts: its calls come on top"],
    kill: [
      `process ${worker} is killed without warning (SIGKILL)`,
      `shared limit: the others get its share after ${silence} s; fixed parts: unused`,
    ],
    leave: [`process ${worker} leaves`, "shared limit: the others take over its share; fixed parts: unused"],
  }[kind];
}

/** How soon the fleet that shares its limit has all of it. */
export function recovered(tookMs: number, limit: number): string {
  return `shared limit: all ${limit} calls a second are shared out after ${(tookMs / 1_000).toFixed(1)} s`;
}
