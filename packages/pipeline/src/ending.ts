interface Of<Kind, Input> {
  readonly kind: Kind;
  readonly input: Input;
  /** The how manyeth record of the source it was, from 0. */
  readonly index: number;
}

/** The call was answered. */
export interface Success<Input = unknown, Result = unknown> extends Of<"success", Input> {
  /** What the call returned. */
  readonly output: Result;
}

/** It was too much: the record may be sent again later. */
export interface Throttled<Input = unknown> extends Of<"throttled", Input> {
  /** Who refused it: we, and the call was not made, or the callee. */
  readonly by: "client" | "callee";
  /**
   * `Throttled by Client. Request rejection probability: 0.31`, or `Server returned HTTP response code: 429`; in other
   * words where a guard within the call did not let it out, or the callee speaks no HTTP.
   */
  readonly error: string;
  /** What was thrown, or what the call returned. */
  readonly cause: unknown;
}

/** It failed for another reason, or it is not known whether the callee took it. */
export interface Failed<Input = unknown> extends Of<"error", Input> {
  /** What went wrong, in words. */
  readonly error: string;
  /** What was thrown, or what the call returned. */
  readonly cause: unknown;
}

/** How a record ended: in one of the three ways, with its input. */
export type Ending<Input = unknown, Result = unknown> = Success<Input, Result> | Throttled<Input> | Failed<Input>;
