/** An item: its key, and attributes that are text, numbers or flags. */
export type Item = Readonly<Record<string, string | number | boolean>>;

/** The key of an item. */
export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** What must be true of an attribute of the item that is there now. */
export type Requirement =
  | { readonly exists: boolean }
  | { readonly equals: string | number | boolean }
  | { readonly below: number; readonly orAbsent?: boolean };

/** Attributes and what must be true of each; all of it. */
export type Condition = Readonly<Record<string, Requirement>>;

/**
 * The little of DynamoDB that the store needs: consistent reads, and writes of one item on a condition. Every call
 * settles by itself within about the deadline that the driver was made with. Errors are as the client throws them.
 */
export interface Driver {
  get(key: Key): Promise<Item | undefined>;
  /** Every item with this partition key, in the order of the sort keys. */
  query(pk: string): Promise<readonly Item[]>;
  /**
   * Keys of items anywhere in the table: of a part of it, those whose partition key begins like this and that have this
   * sort key, if one is given. `next` is where the next part begins; absent after the last one.
   */
  scan(
    pkBegins: string,
    sk: string | undefined,
    from?: Key,
  ): Promise<{ readonly keys: readonly Key[]; readonly next?: Key }>;
  /** Replaces a whole item; false when the condition does not hold. */
  put(item: Key & Item, condition: Condition): Promise<boolean>;
  /** Deletes an item; false when the condition does not hold. */
  delete(key: Key, condition: Condition): Promise<boolean>;
  /**
   * The second, as DynamoDB counts it, that is so far ahead; undefined before its first answer, by whose date it is
   * told.
   */
  secondIn(ms: number): number | undefined;
  /** Closes the client if it was made by the driver. */
  close(): void;
}
