import type { Writable } from "node:stream";
import type { Ending } from "../ending.ts";

/** Where endings go. After a failure every later call rejects with it. */
export interface Sink<Input = unknown, Result = unknown> {
  /**
   * Makes sure that endings can be written: called once before the first call, so that a sink that cannot be used costs
   * none.
   */
  open?(): Promise<void>;
  /**
   * Takes an ending; resolves when there is room for the next one. It may still be in a bounded batch then.
   * @param ending a record and how it ended
   */
  write(ending: Ending<Input, Result>): void | Promise<void>;
  /** Resolves when everything that was taken is where it should be. */
  flush?(): Promise<void>;
  /** Flushes and lets go of files and connections. Idempotent. */
  close?(): Promise<void>;
}

/** What can be given where a sink is wanted. A function is called with each ending, and awaited. */
export type Output<Input = unknown, Result = unknown> =
  | Sink<Input, Result>
  | Writable
  | WritableStream
  | ((ending: Ending<Input, Result>) => unknown);
