/** Something that grants, and how it was configured; what every figure of a comparison belongs to. */
interface Facts {
  readonly name: string;
  /** The npm package it comes from; undefined for what Node itself has. */
  readonly package?: string;
  /** Whether a grant depends on the time, so that each one needs a clock or a timer. */
  readonly keepsTime: boolean;
  /** How it was set up, so that a reader can judge whether the comparison is fair. */
  readonly configuration: string;
  /** Operations in a batch, where the default would take too long. */
  readonly iterations?: number;
}

/** A candidate ready to run. */
export interface Prepared<Operation> {
  readonly operation: Operation;
  close?(): unknown;
}

/** Grants at once: the operation returns true when granted, or 1; otherwise false, or 0. */
export interface SynchronousCandidate extends Facts {
  prepare(): Promise<Prepared<() => number | boolean>>;
}

/** Grants by a promise, which is awaited. */
export interface AwaitedCandidate extends Facts {
  prepare(): Promise<Prepared<() => unknown>>;
}

/** Tokens in a second that nobody here can use up: at 1 ns each. */
export const PLENTY = 1_000_000_000;
