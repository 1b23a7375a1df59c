import type { Shares } from "@dt/core";

/** What a process of a scene does. Times in milliseconds since the scene begins. */
export interface Actor {
  readonly name: string;
  readonly startsMs: number;
  /** `leave`: it stops as a program does. `crash`: it does nothing more. `cut-off`: it runs on without the store. */
  readonly ends?: { readonly atMs: number; readonly how: "leave" | "crash" | "cut-off" };
  /** Calls that its callers want to make a second, from a time on; each waits for its token for at most a second. */
  readonly wants: readonly { readonly fromMs: number; readonly perSecond: number }[];
}

/** A fleet to be drawn: few processes and few tokens, so that each can be seen. */
export interface Scene {
  readonly max: number;
  readonly shares: Shares;
  /** Whether the store reports changes at once; otherwise members find them at their next sync. */
  readonly hints: boolean;
  readonly untilMs: number;
  /** Chance decides when in a second each process syncs. */
  readonly seed: number;
  readonly actors: readonly Actor[];
}

/** The options that decide the times of a crash, as they are by default. */
export const INTERVAL_MS = 1_000;

const BUSY = 60;

/** Two processes share a limit; a third one joins, and later the first one leaves. */
export const handover: Scene = {
  max: 12,
  shares: "even",
  hints: false,
  untilMs: 12_000,
  seed: 2,
  actors: [
    { name: "A", startsMs: 0, ends: { atMs: 7_400, how: "leave" }, wants: [{ fromMs: 0, perSecond: BUSY }] },
    { name: "B", startsMs: 0, wants: [{ fromMs: 0, perSecond: BUSY }] },
    { name: "C", startsMs: 3_400, wants: [{ fromMs: 3_400, perSecond: BUSY }] },
  ],
};

/** Three processes share a limit, and one of them is lost. */
function lost(how: "crash" | "cut-off"): Scene {
  return {
    max: 12,
    shares: "even",
    hints: true,
    untilMs: 16_000,
    seed: 1,
    actors: [
      { name: "A", startsMs: 0, wants: [{ fromMs: 0, perSecond: BUSY }] },
      { name: "B", startsMs: 0, wants: [{ fromMs: 0, perSecond: BUSY }] },
      { name: "C", startsMs: 0, ends: { atMs: 3_400, how }, wants: [{ fromMs: 0, perSecond: BUSY }] },
    ],
  };
}

export const crash: Scene = lost("crash");
/** The same process runs on, but no request of it reaches the store. */
export const cutOff: Scene = lost("cut-off");

/** One busy process uses what two others leave, until a second one is busy, and the first one no longer. */
export const demand: Scene = {
  max: 12,
  shares: "demand",
  hints: true,
  untilMs: 14_000,
  seed: 1,
  actors: [
    {
      name: "A",
      startsMs: 0,
      wants: [
        { fromMs: 0, perSecond: BUSY },
        { fromMs: 9_400, perSecond: 2 },
      ],
    },
    {
      name: "B",
      startsMs: 0,
      wants: [
        { fromMs: 0, perSecond: 2 },
        { fromMs: 4_400, perSecond: BUSY },
      ],
    },
    { name: "C", startsMs: 0, wants: [{ fromMs: 0, perSecond: 2 }] },
  ],
};
