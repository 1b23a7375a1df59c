/** One key of etcd with its value. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  /** The revision of its last change; changes whenever the key is written. */
  readonly revision: string;
}

/** Entries by key; a key that does not exist is missing. */
export type Entries = ReadonlyMap<string, Entry>;

/** The revision of a key that does not exist. */
export const ABSENT = "0";

/** Several writes that happen together, or not at all when something has changed meanwhile. */
export interface Transaction {
  /** Keys and the revisions that they must still have; {@link ABSENT} for one that must not exist. */
  readonly unchanged: ReadonlyMap<string, string>;
  readonly puts: readonly Put[];
  readonly deletes: readonly string[];
  /**
   * Prefixes, each ending with a slash, under which everything is deleted; nothing that is put is under one of them.
   */
  readonly deletesUnder?: readonly string[];
  /** Keys to read when something has changed. */
  readonly otherwise: Iterable<string>;
}

/** A write; with a lease, the key disappears when the lease ends. */
export interface Put {
  readonly key: string;
  readonly value: string;
  readonly lease?: string | undefined;
  /** True to leave the key on the lease that it is on, if it is on one. The key must exist. */
  readonly keepsLease?: boolean;
}

/** `done`, with the revision of everything that was written; or what is there instead of what was expected. */
export type Committed =
  | { readonly done: true; readonly revision: string }
  | { readonly done: false; readonly found: Entries };

/** A lease: it ends when it was not kept alive for this long. */
export interface Lease {
  readonly id: string;
  readonly ttlMs: number;
}

/**
 * The little of etcd that the store needs. Every call settles by itself, within about the deadline that the driver was
 * made with; none is sent again by the driver once it may have changed something. Errors are as the client throws them.
 */
export interface Driver {
  /** Reads keys, all as of one revision, linearizably. */
  read(keys: Iterable<string>): Promise<Entries>;
  /**
   * Reads everything under several prefixes, all as of one revision, in the order of the keys. `keysOnly` leaves the
   * values empty.
   */
  list(
    ranges: readonly { readonly prefix: string; readonly keysOnly: boolean }[],
  ): Promise<readonly (readonly Entry[])[]>;
  /** The first keys of those that begin with a prefix, from `from` on, in their order; linearizable. */
  page(prefix: string, from: string, limit: number): Promise<readonly string[]>;
  /** How many keys there are under a prefix. */
  count(prefix: string): Promise<number>;
  commit(transaction: Transaction): Promise<Committed>;
  /** A lease of at least so many seconds; etcd may give a longer one. */
  grantLease(seconds: number): Promise<Lease>;
  /** Keeps a lease alive; false when it has ended. */
  keepAlive(leaseId: string): Promise<boolean>;
  /**
   * Watches one key from now on. Resolves once etcd watches; `onEnd` is called at most once, when the stream breaks.
   */
  watch(key: string, onChange: (value: string | undefined) => void, onEnd: () => void): Promise<() => void>;
  /** Closes the client if it was made by the driver. */
  close(): void;
}
