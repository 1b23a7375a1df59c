import type { CalleeSettings, Fate } from "./settings.ts";

/** What befalls one request, how long it takes at a worker, and for how much longer its phase lasts. */
export interface Lot {
  readonly fate: Fate;
  readonly takesMs: number;
  readonly phaseEndsInMs: number | undefined;
}

/**
 * Draws the lot of a request. A phase decides for all of its requests; where it says `ok`, and without phases,
 * chance does.
 * @param sinceMs milliseconds since its first request
 */
export function draw(settings: CalleeSettings, takesMs: number, sinceMs: number, random: () => number): Lot {
  const lasts = settings.exponential ? -Math.log(1 - random()) * takesMs : takesMs;
  const { phase, endsInMs: phaseEndsInMs } = phaseAt(settings, sinceMs);
  if (phase !== undefined && phase.fate !== "ok")
    return { fate: phase.fate, takesMs: phase.takesMs ?? (phase.fate === "slow" ? 10 * lasts : lasts), phaseEndsInMs };
  const { hang, fail, slow } = settings;
  const chance = random();
  if (chance < hang) return { fate: "hang", takesMs: lasts, phaseEndsInMs };
  if (chance < hang + fail) return { fate: "fail", takesMs: lasts, phaseEndsInMs };
  if (slow && chance < hang + fail + slow.part) return { fate: "slow", takesMs: slow.takesMs, phaseEndsInMs };
  return { fate: "ok", takesMs: lasts, phaseEndsInMs };
}

function phaseAt({ phases }: CalleeSettings, sinceMs: number) {
  const roundMs = phases.reduce((sum, { lastsMs }) => sum + lastsMs, 0);
  let leftMs = roundMs === 0 ? 0 : sinceMs % roundMs;
  for (const phase of phases) {
    if (leftMs < phase.lastsMs) return { phase, endsInMs: phase.lastsMs - leftMs };
    leftMs -= phase.lastsMs;
  }
  return { phase: undefined, endsInMs: undefined };
}
