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
  /**
   * Time that the server has spent on the store's operations since it started, in microseconds, by its own count;
   * absent without a server.
   */
  serverUs?(): Promise<number>;
  /** What the server has counted since it started, by what it counts; absent without a server. */
  counters?(): Promise<Counters>;
  /** Another store on the same server, over connections whose messages can be held back; absent without a network. */
  connectDelayed?(): Promise<DelayedStore>;
  /** Ends the store and its server. */
  stop(): Promise<void>;
}

/** Growing numbers, such as requests answered or bytes sent. Times are in microseconds. */
export type Counters = Readonly<Record<string, number>>;

/** A store behind a network that is slower than the real one. */
export interface DelayedStore {
  readonly store: CoordinationStore;
  /** From now on every message takes so much longer, in each direction, in milliseconds. */
  delay(eachWayMs: number): void;
  stop(): Promise<void>;
}
