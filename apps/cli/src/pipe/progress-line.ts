import { type Counts, totalOf } from "./counts.ts";
import type { Speed } from "./pace.ts";

/** A run at one instant. */
export interface View {
  readonly counts: Counts;
  /** Of the input, how much was read. */
  readonly bytes: number;
  /** The size of the input; undefined where it has none. */
  readonly totalBytes: number | undefined;
  /** For how long the callee wants to be left alone, in milliseconds. */
  readonly pausedForMs: number;
}

interface Words {
  readonly success: string;
  readonly throttled: string;
  readonly errors: string;
  readonly dropped: string;
  readonly pause: string;
  readonly left: string;
}

/** What a line leaves out, and how it says the rest. */
interface Style {
  readonly total: boolean;
  readonly rate: boolean;
  readonly words: Words;
  readonly digits: (value: number) => string;
  readonly gap: string;
  /** The shortest bar that stands before it. 0: there need be none. */
  readonly leastBar: number;
}

const LONGEST_BAR = 24;
const SHORTEST_BAR = 4;
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

const LONG: Words = {
  success: "success",
  throttled: "throttled",
  errors: "errors",
  dropped: "dropped",
  pause: "asked to pause for ",
  left: " left",
};
const SHORT: Words = { ...LONG, success: "ok", pause: "pause " };
const TINY: Words = { ...SHORT, throttled: "thr", errors: "err", dropped: "drop", left: "" };

const FULL: Style = { total: true, rate: true, words: LONG, digits: number, gap: "  ", leastBar: 8 };
const COUNTS: Style = { ...FULL, total: false, rate: false };
const COMPACT: Style = { ...COUNTS, words: SHORT, digits: compact.format, leastBar: 0 };
const TINIEST: Style = { ...COMPACT, words: TINY, gap: " " };
/** What matters least goes first. */
const STYLES: readonly Style[] = [
  FULL,
  { ...FULL, total: false },
  COUNTS,
  { ...COUNTS, words: SHORT, leastBar: SHORTEST_BAR },
  COMPACT,
  TINIEST,
];

/** `42.1 %  4,210 records  59.8/s  success 4,100  throttled 100  errors 10  1m 37s left`. */
export function lineOf(view: View, speed: Speed): string {
  return textOf(view, speed, FULL);
}

/**
 * The same for a terminal, with a bar before it where the size of the input is known. Where it is narrow, first the
 * total and the rate are left out, then words and numbers get shorter; counts, errors and the time left stay longest.
 * @param columns how wide the terminal is; the last column stays free, since some go to the next line with it
 */
export function terminalLine(view: View, speed: Speed, columns: number): string {
  const room = Math.max(0, columns - 1);
  const part = partOf(view);
  for (const style of STYLES) {
    const text = textOf(view, speed, style);
    const needed = part === undefined || style.leastBar === 0 ? 0 : style.leastBar + 1;
    if (text.length + needed > room) continue;
    const bar = Math.min(LONGEST_BAR, room - text.length - 1);
    return part === undefined || bar < SHORTEST_BAR ? text : `${barOf(part, bar)} ${text}`;
  }
  return textOf(view, speed, TINIEST).slice(0, room);
}

function barOf(part: number, columns: number): string {
  const full = Math.round(part * columns);
  return `${"█".repeat(full)}${"░".repeat(columns - full)}`;
}

function partOf({ bytes, totalBytes }: View): number | undefined {
  if (totalBytes === undefined) return undefined;
  return totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
}

function textOf(view: View, { recordsPerSecond, secondsLeft }: Speed, style: Style): string {
  const { counts, pausedForMs } = view;
  const { total, rate, words, digits, gap } = style;
  const part = partOf(view);
  return [
    ...(part === undefined ? [] : [`${(100 * part).toFixed(1)} %`]),
    ...(total ? [`${digits(totalOf(counts))} records`] : []),
    ...(rate
      ? [`${recordsPerSecond < 100 ? recordsPerSecond.toFixed(1) : number(Math.round(recordsPerSecond))}/s`]
      : []),
    `${words.success} ${digits(counts.success)}`,
    `${words.throttled} ${digits(counts.throttled)}`,
    `${words.errors} ${digits(counts.errors)}`,
    ...(counts.dropped === 0 ? [] : [`${words.dropped} ${digits(counts.dropped)}`]),
    ...(pausedForMs > 0 ? [`${words.pause}${timeOf(pausedForMs / 1_000)}`] : []),
    ...(secondsLeft === undefined || pausedForMs > 0 ? [] : [`${timeOf(secondsLeft)}${words.left}`]),
  ].join(gap);
}

export function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** `42s`, `1m 37s`, `2h 05m`. */
export function timeOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const two = (value: number): string => String(value).padStart(2, "0");
  if (hours > 0) return `${hours}h ${two(minutes)}m`;
  return minutes > 0 ? `${minutes}m ${two(whole % 60)}s` : `${whole}s`;
}
