import type { LimitValues } from "@dt/core";
import type { LimitReport } from "../../fleet/report.ts";

/** A quantity in few characters: `0.25`, `12.5`, `999`, `1,234`, `12.3k`, `4.5M`. Null is `–`: not known. */
export function quantity(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 999_950) return `${rounded(value / 1_000_000, 1)}M`;
  if (size >= 10_000) return `${rounded(value / 1_000, 1)}k`;
  if (size >= 100) return WHOLE.format(value);
  return rounded(value, size >= 10 ? 1 : 2);
}

/** A part of 1 in percent: `87 %`. Below one percent it says so, since `0 %` means none. */
export function percent(part: number | null | undefined): string {
  if (part === null || part === undefined || !Number.isFinite(part)) return "–";
  if (part > 0 && part < 0.005) return "< 1 %";
  return `${WHOLE.format(part * 100)} %`;
}

/** A duration: `0.4 ms`, `12 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  if (ms < 1_000) return `${rounded(ms, ms >= 10 ? 0 : 1)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${rounded(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}

/** A limit with its window: `200/s`, `60k/min`, `30` where there is none. */
export function limitOf({ max, windowMs }: Pick<LimitReport, "max" | "windowMs">): string {
  return windowMs === null ? quantity(max) : `${quantity(max)}/${windowOf(windowMs)}`;
}

/** The values of a limit in the store: `max 200`, `10/s, burst 20`. Null is the value in the code. */
export function valuesOf(values: LimitValues | null | undefined): string {
  if (values === null || values === undefined) return "the code's";
  const { max, windowMs, everyMs, ...others } = values;
  const rates = [
    ...(everyMs !== undefined && everyMs > 0 ? [`${quantity(1_000 / everyMs)}/s`] : []),
    ...(max !== undefined ? [windowMs === undefined ? `max ${whole(max)}` : limitOf({ max, windowMs })] : []),
  ];
  return [...rates, ...Object.entries(others).map(([name, value]) => `${name} ${whole(value)}`)].join(", ");
}

/** The time of day, on this machine: `14:03:59`. */
export function timeOfDay(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** A date and a time, on this machine: `2026-11-29 14:03:59`. */
export function dateAndTime(atMs: number): string {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return "–";
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0"));
  return `${day.join("-")} ${timeOfDay(atMs)}`;
}

/** `1 member`, `5 members`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${quantity(count)} ${count === 1 ? one : many}`;
}

/**
 * A text from the store in one visible line: characters that would turn the direction of what follows, and those that
 * are not seen, are written out.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}

/** Control and format characters (bidi, zero width), separators of lines, halves of characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** All digits before the point, and three after it. */
function whole(value: number): string {
  return PRECISE.format(value);
}

// Made once: they are used thousands of times a second.
const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const PRECISE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

/**
 * How much longer than asked for the window of a budget may be: the lateness of its calls is a part of it, a fiftieth
 * of a second's window, and less of longer ones.
 */
const LATENESS = 0.025;

function windowOf(ms: number): string {
  const asked = UNITS.find(([, size]) => ms > size && ms <= size * (1 + LATENESS));
  if (asked !== undefined) return asked[0];
  const [unit, size] = UNITS.find(([, size]) => ms >= size && ms % size === 0) ?? ["ms", 1];
  const number = ms / size;
  return number === 1 ? unit : `${number} ${unit}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

function rounded(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
