/** One call of the store's, as a backend sees it. */
export interface Call {
  /** What is being done, for messages: `"redis sync"`. */
  readonly what: string;
  /**
   * Aborts when the deadline passes, the caller gives up or the store is closed. No caller waits for an answer then.
   */
  readonly signal: AbortSignal;
  /** When the deadline passes, on the runtime's clock. */
  readonly untilMs: number;
  /**
   * The backend sets it when the request leaves, or the transaction begins to write. A call that ends before that
   * certainly had no effect, and its error states so.
   */
  sent: boolean;
}

/** What a backend answers: at once, or later. */
export type Answer<T> = T | Promise<T>;

/** A backend throws it when the server reports that something that was set up is missing: nothing ran. */
export class SetUpFirst extends Error {}
