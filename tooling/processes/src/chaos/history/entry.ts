/**
 * A line of a worker's log. All times are milliseconds of the machine's monotonic clock, which all processes read
 * alike; a grant's and a call's are the very readings that the throttle decided by.
 */
export type Entry = { readonly n: number } & Note;

/** An entry before it has its number. Numbers count 1, 2, 3, ... in every log, so that a lost line shows. */
export type Note =
  /** A process has begun. */
  | {
      readonly type: "boot";
      readonly atMs: number;
      readonly memberId: string;
      readonly caller: string;
      /** Absent in logs of before there was a choice: `epoch`. */
      readonly release?: "epoch" | "even";
      readonly max: number;
      /** How the wall clock of this process is set wrong, by `offsetMs`. */
      readonly wallClock: string;
      readonly offsetMs: number;
    }
  /** Tokens were granted in an epoch; written before the call that got them returns. */
  | { readonly type: "grant"; readonly atMs: number; readonly epoch: number; readonly tokens: number }
  /**
   * A caller gives tokens back that were granted to it in this epoch; written before anybody may be granted them again.
   */
  | { readonly type: "returned"; readonly atMs: number; readonly epoch: number; readonly tokens: number }
  /** So many of those the throttle did not take, as it answered. */
  | { readonly type: "refused"; readonly atMs: number; readonly epoch: number; readonly tokens: number }
  /** It is about to tell the store how much it holds. */
  | { readonly type: "report"; readonly atMs: number; readonly held: number }
  | Answer
  /** A call to the store failed. */
  | {
      readonly type: "failed";
      readonly sentMs: number;
      readonly atMs: number;
      readonly operation: Operation;
      readonly code: string;
    }
  /** The limit was changed. */
  | { readonly type: "max"; readonly atMs: number; readonly max: number }
  /** The wall clock was set, by so much off the true time. */
  | { readonly type: "clock"; readonly atMs: number; readonly offsetMs: number }
  /** Another process has this one's id; nothing may be granted from here on. */
  | { readonly type: "fenced"; readonly atMs: number }
  /** It was told to leave; nothing may be granted from here on. */
  | { readonly type: "leaving"; readonly atMs: number };

export type Operation = "register" | "sync" | "deregister";

/** What the store answered. */
export interface Answer {
  readonly type: "answer";
  readonly sentMs: number;
  readonly atMs: number;
  readonly operation: Operation;
  readonly status: "agree" | "disagree" | "unknown" | "fenced";
  readonly storeTimeMs: number;
  /** Only to members. */
  readonly member?: {
    readonly generation: number;
    readonly members: number;
    readonly held: number;
    /**
     * Absent, like the two below, in the recorded history that tests forge: all of it then starts with the first epoch
     * after the answer.
     */
    readonly entitled?: number;
    readonly fromEpoch?: number;
    readonly early?: number;
    readonly capacity: number;
    readonly learning: boolean;
  };
}

/** Everything one process wrote down. */
export interface BootLog {
  /** The file's name: the worker and the number of its boot. */
  readonly name: string;
  readonly entries: readonly Entry[];
}
