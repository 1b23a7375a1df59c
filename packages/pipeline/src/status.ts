/** A pipeline at one instant, as data. */
export interface PipelineStatus {
  /**
   * `ready`: not yet begun. `draining`: it was aborted, or something failed, and calls under way end. `done`: the
   * source is used up; `aborted`, `failed`: it ended before that.
   */
  readonly state: "ready" | "running" | "draining" | "done" | "aborted" | "failed";
  /** Records that were read from the source. */
  readonly read: number;
  /** Of these: records that were not begun. */
  readonly waiting: number;
  /** Records whose call is under way, or whose ending is being written. */
  readonly inflight: number;
  /** Records whose endings were taken, by kind. */
  readonly success: number;
  /** Of these: records that this process refused itself. */
  readonly throttledByClient: number;
  /** Of these: records that the callee refused. */
  readonly throttledByCallee: number;
  /** Of these: records that failed for another reason. */
  readonly error: number;
  /** Records that we refused ourselves and that were dropped. */
  readonly dropped: number;
  /** Times that a record was tried again. */
  readonly retries: number;
  /** All records with an index below this have ended, and their endings were taken. */
  readonly lowWater: number;
  /** Groups that are known at the moment. */
  readonly groups: number;
}

/** What of the status is counted, ending by ending. */
export type Counted = "success" | "throttledByClient" | "throttledByCallee" | "error" | "dropped";

/** Nothing was counted yet. */
export function emptyCounts(): Record<Counted, number> {
  return { success: 0, throttledByClient: 0, throttledByCallee: 0, error: 0, dropped: 0 };
}
