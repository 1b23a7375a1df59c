import type { LimiterKind } from "../../stores/limiter-kinds.ts";
import { type Frame, type Hello, KEPT_FRAMES, type LimiterFrame, type Mark, PROTOCOL } from "../protocol.ts";

/** The most events that are kept. */
export const KEPT_MARKS = 2_000;

/**
 * - `connecting`: nothing was received yet.
 * - `live`: frames come.
 * - `reconnecting`: they came, and do not now.
 * - `refused`: the console does not know the token.
 * - `other-version`: the console speaks another version of the protocol: the page has to be loaded again.
 */
export type Connection = "connecting" | "live" | "reconnecting" | "refused" | "other-version";

/** All that the page knows. Never changed: each step makes a new one. */
export interface Model {
  readonly connection: Connection;
  /** Since when, in milliseconds since 1970 by the clock of this browser. */
  readonly sinceMs: number;
  /** What the console said of it. */
  readonly reason?: string | undefined;
  readonly console: Omit<Hello, "frames" | "marks" | "protocol"> | undefined;
  /** The frames of the last minutes, the oldest first. */
  readonly frames: readonly Frame[];
  /** What happened, the newest first. */
  readonly marks: readonly Mark[];
}

/** Before anything was received. */
export function initial(nowMs: number): Model {
  return { connection: "connecting", sinceMs: nowMs, console: undefined, frames: [], marks: [] };
}

/** What the console sends first, also to a page that comes back: it has all that is kept. */
export function withHello(_model: Model, hello: Hello, nowMs: number): Model {
  const { protocol, frames, marks, ...console } = hello;
  if (protocol !== PROTOCOL) return { ...initial(nowMs), connection: "other-version" };
  return {
    connection: "live",
    sinceMs: nowMs,
    console,
    frames: kept(withGaps(frames, console.periodMs), console.periodMs),
    marks: marks.toReversed().slice(0, KEPT_MARKS),
  };
}

/** One more frame. One that is not newer than the last was received already. */
export function withFrame(model: Model, frame: Frame, nowMs: number): Model {
  const last = model.frames.at(-1);
  if (last !== undefined && frame.atMs <= last.atMs) return model;
  const periodMs = model.console?.periodMs ?? 1_000;
  const marks = frame.marks.length === 0 ? model.marks : [...frame.marks.toReversed(), ...model.marks];
  return {
    ...model,
    connection: "live",
    reason: undefined,
    sinceMs: model.connection === "live" ? model.sinceMs : nowMs,
    frames: kept(
      last === undefined ? [frame] : [...model.frames.slice(0, -1), ...withGaps([last, frame], periodMs)],
      periodMs,
    ),
    marks: marks.slice(0, KEPT_MARKS),
  };
}

/**
 * Two frames that are so many periods apart, and at least so many milliseconds, have a time between them of which
 * nothing is known. While no page is open, the console reads the store less often.
 */
const [GAP_PERIODS, GAP_MS] = [4, 20_000];

/** No page was open, or the console was busy: what held before that time is not drawn as if it went on. */
function withGaps(frames: readonly Frame[], periodMs: number): Frame[] {
  return frames.flatMap((frame, i) => {
    const next = frames[i + 1];
    if (next === undefined || next.atMs - frame.atMs < Math.max(GAP_MS, GAP_PERIODS * periodMs)) return frame;
    const { state, verdict } = frame;
    const unknown = { storeMs: null, error: "the store was not read", limiters: [], more: 0, marks: [] };
    return [frame, { ...unknown, state, verdict, atMs: frame.atMs + periodMs }];
  });
}

/** The newest frames, as many as the console keeps, and none that is much older than those would be. */
function kept(frames: readonly Frame[], periodMs: number): readonly Frame[] {
  const sinceMs = (frames.at(-1)?.atMs ?? 0) - 2 * KEPT_FRAMES * periodMs;
  const newest = frames.slice(-KEPT_FRAMES);
  return (newest[0]?.atMs ?? 0) >= sinceMs ? newest : newest.filter(({ atMs }) => atMs >= sinceMs);
}

/** The connection changed. What was received before stays to be seen. */
export function withConnection(model: Model, connection: Connection, nowMs: number, reason?: string): Model {
  // A page that never received anything is still connecting.
  const next = connection === "reconnecting" && model.console === undefined ? "connecting" : connection;
  if (next === model.connection && reason === model.reason) return model;
  return { ...model, connection: next, sinceMs: next === model.connection ? model.sinceMs : nowMs, reason };
}

/** The limiter in a frame. */
export function limiterIn(frame: Frame | undefined, kind: LimiterKind, name: string): LimiterFrame | undefined {
  return frame?.limiters.find((limiter) => limiter.kind === kind && limiter.name === name);
}

/** The events of one limiter, the newest first. */
export function marksOf(marks: readonly Mark[], kind: LimiterKind, name: string): readonly Mark[] {
  return marks.filter((mark) => mark.kind === kind && mark.name === name);
}

/**
 * What is read aloud when it changes: the verdict without its numbers, which change every second ("silent for 4 s").
 */
export function announcedOf(verdict: string): string {
  return verdict.replace(/\d[\d.,]*/g, "#");
}
