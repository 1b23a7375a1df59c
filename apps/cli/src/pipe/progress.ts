import { clearLine, cursorTo } from "node:readline";
import { type Counts, totalOf } from "./counts.ts";
import { Pace, type Speed } from "./pace.ts";

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

const LIVE_EVERY_MS = 200;
const LINE_EVERY_MS = 2_000;
const BAR_COLUMNS = 24;

/**
 * Shows a run until the function returned is called: on a terminal a bar that changes, otherwise a line now and then.
 */
export function showProgress(view: () => View, stream: NodeJS.WriteStream, everyMs?: number): () => void {
  const pace = new Pace();
  const draw = (): void => {
    const { counts, bytes, totalBytes } = view();
    const speed = pace.speed(performance.now(), totalOf(counts), bytes, totalBytes);
    if (!stream.isTTY) {
      stream.write(`${lineOf(view(), speed)}\n`);
      return;
    }
    cursorTo(stream, 0);
    stream.write(`${barOf(view())}${lineOf(view(), speed)}`.slice(0, (stream.columns || 80) - 1));
    clearLine(stream, 1);
  };
  const { counts, bytes, totalBytes } = view();
  pace.speed(performance.now(), totalOf(counts), bytes, totalBytes);
  const timer = setInterval(draw, everyMs ?? (stream.isTTY ? LIVE_EVERY_MS : LINE_EVERY_MS));
  return () => {
    clearInterval(timer);
    if (!stream.isTTY) return;
    cursorTo(stream, 0);
    clearLine(stream, 0);
  };
}

function partOf({ bytes, totalBytes }: View): number | undefined {
  if (totalBytes === undefined) return undefined;
  return totalBytes === 0 ? 1 : Math.min(1, bytes / totalBytes);
}

function barOf(view: View): string {
  const part = partOf(view);
  if (part === undefined) return "";
  const full = Math.round(part * BAR_COLUMNS);
  return `${"█".repeat(full)}${"░".repeat(BAR_COLUMNS - full)} `;
}

/** `42.1 %  4,210 records  59.8/s  success 4,100  throttled 100  errors 10  1m 37s left`. */
export function lineOf(view: View, { recordsPerSecond, secondsLeft }: Speed): string {
  const { counts, pausedForMs } = view;
  const part = partOf(view);
  return [
    ...(part === undefined ? [] : [`${(100 * part).toFixed(1)} %`]),
    `${number(totalOf(counts))} records`,
    `${recordsPerSecond < 100 ? recordsPerSecond.toFixed(1) : number(Math.round(recordsPerSecond))}/s`,
    wordsOf(counts),
    ...(pausedForMs > 0 ? [`asked to pause for ${timeOf(pausedForMs / 1_000)}`] : []),
    ...(secondsLeft === undefined || pausedForMs > 0 ? [] : [`${timeOf(secondsLeft)} left`]),
  ].join("  ");
}

/** `success 4,100  throttled 100  errors 10`, and what was dropped, if anything was. */
export function wordsOf({ success, throttled, errors, dropped }: Counts): string {
  const words = `success ${number(success)}  throttled ${number(throttled)}  errors ${number(errors)}`;
  return dropped === 0 ? words : `${words}  dropped ${number(dropped)}`;
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
