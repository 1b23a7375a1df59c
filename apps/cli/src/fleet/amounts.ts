/** A number of units for people: units may be parts of one. */
export function unitsText(units: number): string {
  return (Math.round(units * 1_000) / 1_000).toLocaleString("en-US", { maximumFractionDigits: 3 });
}

/** `1 member`, `3 members`. */
export function plural(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
}

/** A time for people: `0.3 s`, `42 s`, `5 min`, `3 h`. */
export function timeText(ms: number): string {
  if (ms < 9_950) return `${Number((ms / 1_000).toFixed(1))} s`;
  if (ms < 119_500) return `${Math.round(ms / 1_000)} s`;
  return ms < 7_170_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}

const UNITS = [
  [1_000, "s"],
  [60_000, "min"],
  [3_600_000, "h"],
  [86_400_000, "d"],
] as const;

/** A limit for people: `100/s`, `0.5/s`, `30 per 250 ms`; `30` without a window. */
export function rateText(max: number, windowMs: number | null): string {
  if (windowMs === null) return unitsText(max);
  const unit = UNITS.find(([ms]) => ms === windowMs);
  if (unit) return `${unitsText(max)}/${unit[1]}`;
  const perSecond = (max * 1_000) / windowMs;
  if (Number.isInteger(perSecond)) return `${unitsText(perSecond)}/s`;
  return `${unitsText(max)} per ${windowMs < 1_000 ? `${unitsText(windowMs)} ms` : timeText(windowMs)}`;
}

/** A part of 1 in percent; `-` where it is not known. */
export function percent(part: number | null): string {
  return part === null ? "-" : `${Math.round(100 * part)} %`;
}
