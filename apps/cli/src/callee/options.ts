import { InvalidArgumentError } from "commander";
import { durationOption, durationUpTo } from "../options/duration.ts";
import { FATES, type Fate, LONGEST_TAKES_MS, type Phase } from "./settings.ts";

/** How long a request takes. */
export const takesOption: (text: string) => number = durationUpTo(LONGEST_TAKES_MS, "1h");

/** `5%`: a part from 0 to 1. */
export function partOption(text: string): number {
  const value = /^\d+(?:\.\d+)? ?%$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (value <= 100) return value / 100;
  throw new InvalidArgumentError('Give a percentage such as "5%".');
}

/** `5%:2s`: so many requests take so long. */
export function slowOption(text: string): { readonly part: number; readonly takesMs: number } {
  const [part = "", takes, ...rest] = text.split(":");
  if (takes === undefined || rest.length > 0)
    throw new InvalidArgumentError('Give a percentage and a time, such as "5%:2s".');
  return { part: partOption(part), takesMs: takesOption(takes) };
}

/** `ok:10s,throttle:5s,slow=2s:5s`. */
export function phasesOption(text: string): Phase[] {
  return text.split(",").map((phase) => {
    const [, name = "", takes, lasts] = /^\s*(\w+)(?:=([^:]+))?:(.+?)\s*$/.exec(phase) ?? [];
    if (lasts === undefined || !FATES.includes(name as Fate))
      throw new InvalidArgumentError(
        `"${phase}" is no phase; give ${FATES.join(", ")} with a time, such as "ok:10s,throttle:5s,slow=2s:5s".`,
      );
    const lastsMs = durationOption(lasts);
    if (lastsMs === 0) throw new InvalidArgumentError(`"${phase}" lasts no time.`);
    return { fate: name as Fate, lastsMs, takesMs: takes === undefined ? undefined : takesOption(takes) };
  });
}
