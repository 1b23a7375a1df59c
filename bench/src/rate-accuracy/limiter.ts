/** A limiter set up for ten calls a second. */
export interface PacedLimiter {
  readonly name: string;
  /** The npm package it comes from; undefined for ours. */
  readonly package?: string;
  readonly configuration: string;
  /** @param redisUrl a Redis that nobody else uses at the time */
  open(redisUrl: string): Promise<OpenLimiter>;
}

export interface OpenLimiter {
  /** Resolves when one call may start. */
  readonly turn: () => Promise<unknown>;
  close?(): unknown;
}

export const PER_SECOND = 10;
