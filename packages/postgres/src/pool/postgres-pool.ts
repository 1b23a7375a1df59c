/**
 * The least that a pool handed in must do. `Pool` of `pg` does it as it is, and so do pools with the same interface
 * (`@neondatabase/serverless`, instrumented ones).
 */
export interface PostgresPool {
  /**
   * A connection for one caller alone, until it is released. It is called with a callback, as `pg` takes one; a pool
   * that pays no heed to it answers with a promise.
   */
  connect(): Promise<PostgresClient>;
}

/** A connection out of a {@link PostgresPool}. */
export interface PostgresClient {
  /**
   * Runs one text by the simple query protocol (there are no values). Must not run it again on another connection.
   * @param statement the statement and its values
   */
  query(statement: PostgresStatement): Promise<unknown>;
  /**
   * Gives the connection back; with `true` it is ended, whatever it is doing.
   * @param destroy an error, or true, when the connection must not be used again
   */
  release(destroy?: boolean): void;
  /**
   * Errors of the connection while no statement runs; and, for hints, `"notification"`, `"error"` and `"end"`.
   * @param listener the function that receives each of them
   * @param event the event's name
   */
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  /**
   * Ends what `on` began.
   * @param listener the function that receives each of them
   * @param event the event's name
   */
  removeListener(event: string, listener: (...args: unknown[]) => void): unknown;
  /** For hints: the id of the server process, which shows whether a pooler is in between. */
  readonly processID?: number | null;
  /** For hints: the connection alone does not keep the process running. */
  unref?(): void;
}

/** A statement as `pg` takes it. */
export interface PostgresStatement {
  /** The statement's text, with `$1`, `$2`, ... for its values. */
  readonly text: string;
  /** Rows as arrays. */
  readonly rowMode: "array";
  /** Values as the text that the server sent, whatever parsers are set for the process. */
  readonly types: { readonly getTypeParser: () => (value: string) => string };
  /** Milliseconds that this statement may take, in place of what the pool gives every statement. */
  readonly query_timeout?: number;
}
