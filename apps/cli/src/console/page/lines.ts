import type { LimiterKind } from "../../stores/limiter-kinds.ts";
import type { Frame, LimiterFrame } from "../protocol.ts";
import type { Column } from "./bands.ts";
import { limiterIn } from "./state.ts";

/** One line of a chart. */
export interface Line {
  readonly name: string;
  readonly values: Column;
}

/** Lines over time. */
export interface Lines {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

/** Units in use, of a limiter with one limit, and that limit. */
export function usedOf(frames: readonly Frame[], kind: LimiterKind, name: string): Lines {
  const known = knownIn(frames, kind, name);
  return {
    times: timesOf(frames),
    lines: [
      { name: "used", values: known.map((limiter) => limiter?.limits[0]?.used ?? null) },
      { name: "limit", values: known.map((limiter) => limiter?.limits[0]?.max ?? null) },
    ],
  };
}

/** How far each limit of a budget is used, in percent: a line for each limit that is in one of the frames. */
export function utilizationOf(frames: readonly Frame[], kind: LimiterKind, name: string): Lines {
  const known = knownIn(frames, kind, name);
  const names = new Set(known.flatMap((limiter) => limiter?.limits.map((limit) => limit.name) ?? []));
  const percentOf = (limiter: LimiterFrame | undefined, of: string): number | null => {
    const part = limiter?.limits.find((limit) => limit.name === of)?.utilization ?? null;
    return part === null ? null : part * 100;
  };
  return {
    times: timesOf(frames),
    lines: [...names].map((of) => ({ name: of, values: known.map((limiter) => percentOf(limiter, of)) })),
  };
}

/** What is waited for: often more than the limit, so that it has a scale of its own. */
export function waitingOf(frames: readonly Frame[], kind: LimiterKind, name: string): Lines {
  const waiting = knownIn(frames, kind, name).map((limiter) => limiter?.waiting ?? null);
  return { times: timesOf(frames), lines: [{ name: "waiting", values: waiting }] };
}

/** Keys in use. */
export function keysOf(frames: readonly Frame[], kind: LimiterKind, name: string): Lines {
  const keys = knownIn(frames, kind, name).map((limiter) => limiter?.keys?.count ?? null);
  return { times: timesOf(frames), lines: [{ name: "keys", values: keys }] };
}

/** Keys of which nothing is left. */
export function limitedKeysOf(frames: readonly Frame[], kind: LimiterKind, name: string): Lines {
  const limited = knownIn(frames, kind, name).map((limiter) => limiter?.keys?.limited ?? null);
  return { times: timesOf(frames), lines: [{ name: "limited keys", values: limited }] };
}

/** How long the store took for an operation, in milliseconds. */
export function latencyOf(frames: readonly Frame[]): Lines {
  return {
    times: timesOf(frames),
    lines: [
      { name: "mean", values: frames.map(({ storeMs }) => storeMs?.mean ?? null) },
      { name: "longest", values: frames.map(({ storeMs }) => storeMs?.max ?? null) },
    ],
  };
}

function timesOf(frames: readonly Frame[]): number[] {
  return frames.map(({ atMs }) => atMs / 1_000);
}

/** The limiter in each frame; undefined where the store did not answer. */
function knownIn(frames: readonly Frame[], kind: LimiterKind, name: string): (LimiterFrame | undefined)[] {
  return frames.map((frame) => (frame.error === undefined ? limiterIn(frame, kind, name) : undefined));
}
