/** A document as it is stored. */
export interface StoredDocument {
  readonly text: string;
  /** Another one after every write, never the same again. */
  readonly revision: string;
}

/** `done`; or another client has written meanwhile, and `look` reads its document. */
export type Replaced =
  | { readonly done: true; readonly revision: string }
  | { readonly done: false; readonly look: () => Promise<StoredDocument | undefined> };

/** The place in a store where one document is kept. */
export interface DocumentCell {
  /** Its name in messages: `"etcd key dt//permits/emails"`. */
  readonly name: string;
  /** Linearizable; undefined when there is nothing. */
  read(): Promise<StoredDocument | undefined>;
  /**
   * Writes in exchange for a revision, or for nothing.
   * @param keepMs how long the document must be kept at least; afterwards the store may forget it
   */
  replace(from: string | undefined, text: string, keepMs: number): Promise<Replaced>;
}
