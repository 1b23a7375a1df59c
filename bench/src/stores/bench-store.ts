import type { CoordinationStore } from "@dt/core";

/** A store to measure, with the server it needs. */
export interface BenchStore {
  readonly name: string;
  /** Calls measured at a time: some tenths of a second, so that what else the machine does averages out. */
  readonly callsPerRound: number;
  /** How it is set up, and which version of what it runs on, once started. */
  start(): Promise<StartedStore>;
}

export interface StartedStore {
  readonly store: CoordinationStore;
  readonly configuration: string;
  /** Time that the server has spent on the store's operations since it started, in microseconds, by its own count; absent without a server. */
  serverUs?(): Promise<number>;
  /** Ends the store and its server. */
  stop(): Promise<void>;
}
