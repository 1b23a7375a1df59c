import type { Spread } from "../statistics.ts";

/** Ten topics on one connection: how long the messages of nine take while the tenth is far above its quota. */
export interface NoisyNeighbour extends NoisyMeasurement {
  /** Whether client and servers went before all ordinary processes. */
  readonly first: boolean;
}

/** What their client measures. */
export interface NoisyMeasurement {
  /**
   * Milliseconds from `send` to the receipt, 99th percentile, median of the rounds: nobody makes noise. Null, as all of
   * these, when no message was confirmed in any round.
   */
  readonly quietP99Ms: number | null;
  /** The tenth topic is ten times above its quota, and the server signals. */
  readonly signalP99Ms: number | null;
  /** The same, and the server stops reading instead. */
  readonly pauseP99Ms: number | null;
  /** Each of the rounds. */
  readonly rounds: {
    readonly quiet: readonly (number | null)[];
    readonly signal: readonly (number | null)[];
    readonly pause: readonly (number | null)[];
  };
  readonly medianMs: { readonly quiet: number | null; readonly signal: number | null; readonly pause: number | null };
  readonly quota: number;
  readonly offered: number;
  /** Messages of the tenth topic that were kept, a second. */
  readonly acceptedPerSecond: { readonly signal: number; readonly pause: number };
  readonly seconds: number;
  /** Before each round, not measured. */
  readonly leadSeconds: number;
}

export interface Accuracy {
  readonly quota: number;
  readonly seconds: number;
  /** Messages kept after the first second. */
  readonly accepted: number;
  /** What the quota gives in that time. */
  readonly expected: number;
  /** How far apart these are, in percent. */
  readonly errorPercent: number;
  readonly lost: number;
  readonly outOfOrder: number;
  readonly signals: number;
}

/** One kind of clients, all of them ten times above their quota. */
export interface MemoryRun {
  readonly clients: "confirming" | "lying" | "silent";
  readonly connections: number;
  readonly seconds: number;
  /** What the server's buffers may hold. */
  readonly boundBytes: number;
  /** What they held, every half second. */
  readonly bufferedBytes: readonly number[];
  readonly mostBytes: number;
  /** The process's resident memory at these times. */
  readonly residentBytes: readonly number[];
  readonly acceptedPerSecond: number;
  readonly quotaPerSecond: number;
  readonly confirmed: number;
  readonly broken: number;
  /** Payload that was taken from clients that had promised to be silent. */
  readonly brokenBytes: number;
}

export interface Throughput {
  readonly payloadBytes: number;
  /** Frames in a second of processor time. */
  readonly encode: Spread;
  readonly decode: Spread;
  /**
   * Messages a second over TCP, each confirmed: frames of this protocol, and bare payloads with their length before
   * them.
   */
  readonly connection: Spread;
  readonly rawTcp: Spread;
}

export interface SignalFigures {
  /**
   * Processes that ran or wanted to when each part began, by the system's average of a minute: others than the
   * benchmark's make its figures worse.
   */
  readonly load?: Readonly<Record<string, number>>;
  readonly noisyNeighbour?: NoisyNeighbour;
  readonly accuracy?: Accuracy;
  readonly memory?: readonly MemoryRun[];
  readonly throughput?: readonly Throughput[];
}
