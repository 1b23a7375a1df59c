import type { Duration } from "@dt/core";

/** What a run is. */
export interface RunSettings {
  readonly processes: number;
  /** The run ends when so many permits were used. */
  readonly permits: number;
  readonly everyMs: number;
  readonly maxReserved: number;
  /** Callers in each process that ask again as soon as their request was answered. */
  readonly callers: number;
}

/** What a worker is told. */
export interface WorkerSettings {
  readonly worker: number;
  readonly module: string;
  readonly factory: string;
  readonly store: object;
  readonly key: string;
  readonly everyMs: number;
  readonly maxReserved: number;
  readonly callers: number;
  readonly permitTtl: Duration;
  /** The HTTP server that is called, on this machine. */
  readonly port: number;
}

/** A reservation as a worker was answered it. */
export interface Reserved {
  /** The instants, on the store's clock, in milliseconds. */
  readonly instantsMs: readonly number[];
  /** How many of them it kept: the others were given back. */
  kept: number;
  readonly storeTimeMs: number;
  readonly reservedAhead: number;
}

/** What a worker says in the end. */
export interface WorkerReport {
  readonly worker: number;
  readonly reserved: readonly Reserved[];
  /** Permits used. */
  readonly used: number;
  /** For each of them, how long after its instant its caller was woken, in milliseconds, as the pacer says. */
  readonly lateMs: readonly number[];
  /** Permits that came too late and were not used. */
  readonly wasted: number;
  /** Calls of the store, and of the pacer, that failed. */
  readonly errors: readonly string[];
}

/** A request as the HTTP server saw it. */
export interface Arrival {
  readonly worker: number;
  /** The machine's monotonic time, in milliseconds. */
  readonly atMs: number;
}
