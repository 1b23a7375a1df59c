import type { Duration } from "@dt/core";

/** A store to run against, with the server it needs. */
export interface RunStore {
  readonly name: string;
  /**
   * The least distance between permits that so many contending processes can be given, in milliseconds. Absent: as
   * asked for.
   */
  readonly leastEveryMs?: number;
  start(): Promise<StartedStore>;
}

export interface StartedStore {
  /** What makes the store in each process: a module, the name of a function in it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly options: object;
  /** Software and set-up, for the record. */
  readonly configuration: string;
  /**
   * By how much two instants may be closer than the interval on the store's clock, in milliseconds. Absent: not at all.
   */
  readonly clockErrorMs?: number;
  /** How late a permit may be used. Default a minute. */
  readonly permitTtl?: Duration;
  stop(): Promise<void>;
}

/** So long that a busy machine fails no call: the runs are about distances, not about deadlines. */
export const timeout = "10s";
