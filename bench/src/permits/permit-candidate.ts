/** Something that hands out permits, with the server it needs. */
export interface PermitCandidate {
  readonly name: string;
  /** Permits in a round, one after the other: some tenths of a second. */
  readonly permitsPerRound: number;
  start(): Promise<StartedCandidate>;
}

export interface StartedCandidate {
  readonly configuration: string;
  /** Takes so many permits of a key in one call, and fails when it is not given all. */
  readonly take: (key: string, count: number) => Promise<void>;
  /** Whether one call can take more than one. */
  readonly hasBlocks: boolean;
  /** Requests that the server has answered since it started; absent without a server. */
  requests?(): Promise<number>;
  stop(): Promise<void>;
}

/** Permits reserved in one block. */
export const BLOCK = 100;
