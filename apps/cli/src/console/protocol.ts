import type { LimitValues } from "@dt/core";
import type { Finding, KeysReport, LimiterReport, LimitReport, State } from "../fleet/report.ts";
import type { LimiterKind } from "../stores/limiter.ts";

/**
 * What the console's server and its page exchange. The server reads the store, once a period for all pages, and keeps
 * what happened within the last minutes, so that a page which opens late shows it all.
 *
 * - `GET /api/events?token=...`: server-sent events. `hello` (a {@link Hello}) comes once, then a `frame` (a
 *   {@link Frame}) each period. A page that reconnects gets a `hello` again.
 * - `GET /api/limiter?kind=...&name=...`: a {@link LimiterReport} with all of its members, or its busiest keys.
 * - `POST /api/limit/preview` and `POST /api/limit`: a {@link LimitOrder} as `application/json` in the body, a
 *   {@link LimitPreview} or a {@link LimitChanged} in the answer. The second exists with `--write` alone.
 *
 * Every request has the token: `Authorization: Bearer <token>`, or `?token=` for the page and the events, which cannot
 * have headers. Scripts, styles and pictures of the page need none. An error is answered `{ error: string }`, with 401
 * where the token is of a console that has ended.
 */
export const PROTOCOL = 1;

/** The most members of a limiter in a frame. The others are summed. With more than 20 limiters it is fewer. */
export const MOST_SHOWN = 12;

/** The most limiters in a frame: those that want attention come first, then those that are limited. */
export const MOST_LIMITERS = 60;

/** The most keys of a keyed limit in a frame. */
export const MOST_KEYS = 12;

/** The most findings of a limiter in a frame, the most important ones. */
export const MOST_FINDINGS = 4;

/** How many frames are kept: five minutes of them. */
export const KEPT_FRAMES = 300;

/** What a page gets first. */
export interface Hello {
  readonly protocol: typeof PROTOCOL;
  /** The store's address, without secrets. */
  readonly store: string;
  /** True where limits may be changed: `--write`. */
  readonly writes: boolean;
  /** The version of `@dt/cli`. */
  readonly version: string;
  /** Time between two frames, in milliseconds. */
  readonly periodMs: number;
  /**
   * The frames that are kept, the oldest first. All but the newest are without findings, without marks and without the
   * busiest keys.
   */
  readonly frames: readonly Frame[];
  /** The marks that are kept, the oldest first. */
  readonly marks: readonly Mark[];
}

/** The fleet at one time, as small as it may be. */
export interface Frame {
  /** By the clock of the console, in milliseconds since 1970. */
  readonly atMs: number;
  /** How long the store took for an operation, in milliseconds: the mean and the longest. Null where it failed. */
  readonly storeMs: { readonly mean: number; readonly max: number } | null;
  /** Why the store could not be read. The limiters are then those of the frame before. */
  readonly error?: string;
  readonly state: State;
  readonly verdict: string;
  /** At most {@link MOST_LIMITERS} of them, in the order of their kinds and names. */
  readonly limiters: readonly LimiterFrame[];
  /** Limiters that are left out. */
  readonly more: number;
  /** What happened since the frame before. */
  readonly marks: readonly Mark[];
}

/** One limiter in a frame. */
export interface LimiterFrame {
  readonly kind: LimiterKind;
  readonly name: string;
  readonly state: State;
  readonly findings: readonly Finding[];
  readonly limits: readonly LimitReport[];
  readonly waiting?: number;
  readonly pausedForMs: number;
  /** Of a throttle and a semaphore. */
  readonly members?: {
    readonly count: number;
    /**
     * The members that hold and use most over the kept frames, at most {@link MOST_SHOWN}, the same ones for as long
     * as they are among them: a band keeps its colour.
     */
    readonly shown: readonly ShownMember[];
    /** The others together. */
    readonly rest: Omit<ShownMember, "id" | "state"> & { readonly count: number };
  };
  readonly keys?: KeysReport;
  /** True where its limit lives in the store. */
  readonly stored: boolean;
  readonly error?: LimiterReport["error"];
}

/** A member that is drawn by itself. */
export interface ShownMember {
  readonly id: string;
  readonly held: number;
  readonly used: number | null;
  readonly waiting: number | null;
  readonly state: "active" | "idle" | "silent" | "fenced";
}

/** Something that happened to a limiter. */
export interface Mark {
  readonly atMs: number;
  readonly kind: LimiterKind;
  readonly name: string;
  /** `crash`: a member was removed after its silence; `leave`: it left in order. */
  readonly what: "join" | "leave" | "crash" | "silent" | "limit" | "pause" | "damage";
  /** One sentence: which member, or from what to what and by whom. */
  readonly text: string;
}

/** A change of a stored limit. */
export interface LimitOrder {
  readonly kind: LimiterKind;
  readonly name: string;
  /** Of a keyed limit: one key. Absent: all keys. */
  readonly key?: string;
  /** As `dt limit set` takes it (`200/s`, `30`, `requests=600,tokens=60000`), or null to remove the stored limit. */
  readonly limit: string | null;
  /** Of a pacer or a keyed limit: what may come at once. Absent: the code's; of a keyed limit the units of its rate. */
  readonly burst?: number;
  /** Of a keyed limit: calls in flight of a key. */
  readonly concurrent?: number;
  readonly reason?: string;
  /** How long it counts, as text such as `2h`. Absent: for good. */
  readonly for?: string;
}

/** What would follow of a change. */
export interface LimitPreview {
  /** The limit in force, and the one that would be. */
  readonly from: LimitValues | null;
  readonly to: LimitValues | null;
  /** Sentences: what each member, each limit and those that wait would see, and when. */
  readonly follows: readonly string[];
  /** True where the limiter's processes do not take their limit from the store, so that nothing would follow. */
  readonly inVain: boolean;
}

/** A limit that was changed. */
export interface LimitChanged {
  /** One sentence: the limit that counts now, who set it, and until when. */
  readonly text: string;
}
