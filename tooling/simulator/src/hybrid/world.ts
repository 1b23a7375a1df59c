import type { Bug } from "../fleet/bugs/bug.ts";
import type { Timeline } from "../fleet/engine/timeline.ts";
import { Random } from "../random.ts";
import type { Book } from "./book.ts";
import { Fleet, type ProcessOptions, type ServerModel } from "./fleet.ts";
import type { Settings } from "./settings.ts";

/** How a run ended. */
export interface RunResult {
  readonly book: Book;
  /** Granted tokens as a part of what could have been granted by one undisturbed member. */
  readonly utilisation: number;
}

/**
 * Lets processes come, go, pause, crash and lose messages for a while, then heals everything, and checks every grant.
 */
export async function runWorld(
  seed: number,
  settings: Settings,
  model: (timeline: Timeline, random: Random) => ServerModel,
  bug?: Bug,
): Promise<RunResult> {
  const random = new Random(seed, "world");
  const fleet = new Fleet(seed, settings, model, bug);
  const { timeline, book, server } = fleet;
  const boot = (id: string): void => fleet.boot(id, askingOf(random, settings));

  const fault = (): void => {
    const { ids } = fleet;
    const one = ids[Math.floor(random.next() * ids.length)];
    const kind = random.next();
    const forMs = random.chance(0.5) ? random.between(50, 3_000) : random.between(3_000, 2 * settings.staleAfterMs);
    if (one === undefined || kind < 0.22) {
      const id = `p${Math.floor(random.between(0, settings.members))}`;
      if (!ids.includes(id)) boot(id);
    } else if (kind < 0.32) fleet.stop(one);
    else if (kind < 0.42) fleet.crash(one);
    else if (kind < 0.6) fleet.pause(one, forMs);
    else if (kind < 0.72) fleet.cut(one, forMs);
    else if (kind < 0.86) fleet.disturb(one, { lost: random.between(0, 0.3), late: random.between(0, 0.3) }, forMs);
    else server.disturb(random);
  };

  /** The one that is there loses the server for good; another one comes before the first is forgotten. */
  const succeed = (): void => {
    for (const id of fleet.ids) {
      fleet.cut(id, Number.POSITIVE_INFINITY);
      timeline.after(2 * settings.staleAfterMs, () => fleet.crash(id));
    }
    timeline.after(random.between(0, settings.staleAfterMs), () => boot(`p${fleet.boots}`));
  };

  if (settings.profile === "calm") {
    for (let i = 0; i < settings.members; i++)
      timeline.after(random.between(0, settings.churnMs / 2), () => boot(`p${i}`));
  } else if (settings.profile === "abuse") {
    for (let i = 0; i < settings.members; i++) timeline.after(random.between(0, 3_000), () => boot(`p${i}`));
    for (let atMs = 4_000; atMs < settings.churnMs; atMs += random.between(0, 2 * settings.faultEveryMs))
      timeline.after(atMs, fault);
  } else {
    boot("p0");
    for (let atMs = 4_000; atMs < settings.churnMs; atMs += settings.staleAfterMs * random.between(2, 4))
      timeline.after(atMs, succeed);
  }
  await timeline.run(settings.churnMs);
  fleet.heal();
  if (fleet.ids.length === 0) boot("p0");
  await timeline.run(settings.churnMs + settings.calmMs);
  for (const detail of fleet.disagreeing) book.violations.push({ atMs: timeline.nowMs, detail });
  const possible = (settings.max * (settings.churnMs + settings.calmMs)) / settings.intervalMs;
  return { book, utilisation: book.granted / possible };
}

/** Only where they share by demand what they ask for changes, each in its own time. */
function askingOf(random: Random, { shares, takesMost }: Settings): ProcessOptions {
  const demands = shares === "demand";
  return {
    asksMost: demands && random.chance(0.7) ? random.integer(1, 40) : takesMost,
    restsMs: demands && random.chance(0.5) ? random.between(1_000, 9_000) : 0,
  };
}
