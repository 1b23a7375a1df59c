/** A message as a client sent it. It is the handler's to keep. */
export interface Published {
  /** The topic that it was published to. */
  readonly topic: string;
  /** The name of the producer that published it. */
  readonly producerName: string;
  /** Counts up within a producer's name. A producer that comes back goes on from what `openProducer` returned. */
  readonly sequenceId: number;
  /** The message's bytes. */
  readonly payload: Uint8Array;
  /** The message's key; undefined where it has none. */
  readonly key: string | undefined;
}

/** A message as a consumer gets it. */
export interface Stored {
  /** The message's place in its topic. */
  readonly messageId: number;
  /** The message's bytes. */
  readonly payload: Uint8Array;
  /** The message's key; undefined where it has none. */
  readonly key: string | undefined;
}

/** Where a consumer is in its topic. */
export interface Cursor {
  /** The next message; undefined while there is none. */
  next(): Stored | undefined;
  /** Ends the reading. */
  close(): void;
}

/** What a server does with messages. A message whose handler throws, or rejects, is answered with the error's text. */
export interface Handler {
  /**
   * Admits a producer: returns the sequence id of the last message of its name that was kept, 0 for none. To refuse the
   * producer, throw. Default: every producer is admitted, and begins at 0.
   * @param producer the producer that asks
   */
  openProducer?(producer: { readonly topic: string; readonly producerName: string }): number | Promise<number>;
  /**
   * Keeps a message; returns its id within the topic. Calls come in the order in which a connection sends. While a
   * promise is open, the message is pending.
   * @param message the message that was received
   */
  publish(message: Published): number | Promise<number>;
  /**
   * Opens a cursor of a topic that begins at a message, or at the next one to come. Call `wake` when there is a message
   * for a cursor that had none. Default: no consumers.
   * @param topic the topic's name
   * @param fromMessageId the first message that is wanted
   * @param wake the function to call when there is more to read
   */
  subscribe?(topic: string, fromMessageId: number | undefined, wake: () => void): Cursor;
}
