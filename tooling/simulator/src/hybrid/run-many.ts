import type { Bug } from "../fleet/bugs/bug.ts";
import type { Timeline } from "../fleet/engine/timeline.ts";
import type { Random } from "../random.ts";
import type { ServerModel } from "./fleet.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { runWorld } from "./world.ts";

/** What many runs have shown. */
export interface Summary {
  readonly runs: number;
  /** Broken promises, with the seed that breaks them. */
  readonly violations: readonly string[];
  /** Granted tokens as a part of what one undisturbed member could have granted, on average. */
  readonly utilisation: number;
  /** The most by which the group times that two processes were answered at one instant lay apart, in milliseconds. */
  readonly worstLagMs: number;
}

/** Runs a world for each seed; `DT_SEEDS` in the environment sets their number, `DT_SEED` picks a single one. */
export async function runMany(
  model: (timeline: Timeline, random: Random) => ServerModel,
  usual: number,
  change: Partial<Settings> = {},
  bug?: Bug,
): Promise<Summary> {
  const { DT_SEEDS: count = usual, DT_SEED: one } = process.env;
  const seeds = one === undefined ? Array.from({ length: Number(count) }, (_, i) => i + 1) : [Number(one)];
  const violations: string[] = [];
  let utilisation = 0;
  let worstLagMs = 0;
  for (const seed of seeds) {
    const { book, ...result } = await runWorld(seed, { ...settingsOf(seed), ...change }, model, bug);
    for (const { atMs, detail } of book.violations) violations.push(`seed ${seed}, ${Math.round(atMs)} ms: ${detail}`);
    utilisation += result.utilisation / seeds.length;
    worstLagMs = Math.max(worstLagMs, book.worstLagMs);
  }
  return { runs: seeds.length, violations: violations.slice(0, 20), utilisation, worstLagMs };
}
