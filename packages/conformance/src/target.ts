import type { BucketRef, CoordinationStore, LimitTarget, MemberRef, Runtime, StoreCapabilities } from "@dt/core";

/** What a case is going to do with a store that the target makes. */
export interface StoreUse {
  /**
   * True when the case stops, kills or cuts off the server and sees the store's own deadline end the calls (R16): then
   * it needs the deadline that users get. In all other cases no deadline is to be shown, and a patient one keeps a
   * machine that stands still for a second from failing the case.
   */
  readonly outage: boolean;
}

/** The store under test: how to make one, its promises, and the faults of its server. */
export interface StoreTarget {
  /** Shown in test names and reports, such as `"redis (RESP3)"`. */
  readonly name: string;
  /** The store's promises. They decide which cases run. A case checks that the store itself states the same. */
  readonly capabilities: StoreCapabilities;
  /**
   * Makes a store. Called for every case, and several times in cases with several clients: every store it makes must
   * see the same groups, as two connections to one server do (see {@link sharesData}).
   * @param use for targets on a real server: which deadline the store needs
   */
  createStore(use: StoreUse): CoordinationStore | Promise<CoordinationStore>;
  /**
   * Ends what `createStore` made. Default: the store's `close()`.
   * @param store the store that is not used any more
   */
  destroyStore?(store: CoordinationStore): void | Promise<void>;
  /**
   * Whether the stores keep permits too (`PermitLedger`). Default: a store that has `reserve` does, and the cases of
   * rules P1 to P12 look when they run. `true`: a store without
   * them fails. `false` skips the cases before any case runs. Jest, which cannot skip a running test, needs that.
   */
  readonly permits?: boolean;
  /**
   * Whether the stores keep budgets too (`BudgetLedger`). Default: a store that has `spend` does. Otherwise as
   * {@link permits}.
   */
  readonly budgets?: boolean;
  /**
   * Whether the stores keep buckets too (`KeyedLedger`). Default: a store that has `take` does. Otherwise as
   * {@link permits}.
   */
  readonly buckets?: boolean;
  /**
   * Whether the stores keep stored limits too (`LimitLedger`). Default: a store that has `setLimit` does. Otherwise as
   * {@link permits}.
   */
  readonly limits?: boolean;
  /**
   * False when two stores do not see the same groups (a store in memory): several clients are then callers of one store
   * object. Default true.
   */
  readonly sharesData?: boolean;
  /**
   * Makes a store whose host has a wrong clock: `Runtime.now()` and the wall clock, as far as the adapter uses them,
   * are off by `skewMs`. Without it the case that shows that the callers' clocks do not matter is skipped.
   * @param skewMs milliseconds by which the client's clock is ahead
   */
  createSkewedStore?(skewMs: number): CoordinationStore | Promise<CoordinationStore>;
  /** Faults of the server. Cases that need an absent fault are skipped, and the report names them. */
  readonly faults?: StoreFaults;
  /**
   * Damage to stored data, past the store. Cases that need an absent one are skipped, and the report names them.
   */
  readonly damage?: StoreDamage;
  /**
   * Holds up every change of a group, as another transaction that has its lock does, until the function that it
   * resolves with is called. For stores with locks; without it the case that shows that the clock is read after the
   * wait is skipped.
   * @param group the group's name
   */
  holdUp?(group: string): Promise<() => Promise<void>>;
  /**
   * Round trips (requests that the server has received from stores of this target) so far. Without it the case of R17
   * is skipped.
   */
  roundTrips?(): number | Promise<number>;
  /**
   * Multiplies every time in the suite: stale ages, waits, deadlines. For stores that are slow by nature. Default 1.
   */
  readonly timeScale?: number;
  /**
   * Members of the largest group in the suite. Default 1,200; give less only when the store's documented ceiling is
   * lower.
   */
  readonly maxMembers?: number;
  /** Where the suite takes time and timers from. Default: the real ones. */
  readonly runtime?: Runtime;
}

/**
 * Damage to the stored data, as a wrong script, a restore of some tables or a slip of the hand does. Each touches one
 * group or one key of permits, so that other cases go on meanwhile. Leave out the kinds that your database makes
 * impossible.
 */
export interface StoreDamage {
  /**
   * Makes a member's row unreadable, or deletes it where the database takes no other values. Where one value holds the
   * whole ledger, damage that.
   * @param group the group's name
   * @param member the member that calls: its id and its incarnation
   */
  spoilMember?(group: string, member: MemberRef): Promise<void>;
  /**
   * Makes the group's own row unreadable, and leaves those of its members.
   * @param group the group's name
   */
  spoilGroup?(group: string): Promise<void>;
  /**
   * Deletes the group's own row, and leaves those of its members.
   * @param group the group's name
   */
  deleteGroup?(group: string): Promise<void>;
  /**
   * Writes into the group's own row that its members hold 0 tokens together, which is readable and wrong.
   * @param group the group's name
   */
  spoilSums?(group: string): Promise<void>;
  /**
   * Makes the group's own row, or the whole database, that of a newer version of the store; resolves with what makes it
   * as it was.
   * @param group the group's name
   */
  makeNewer?(group: string): Promise<() => Promise<void>>;
  /**
   * Makes what is stored of a key of permits unreadable.
   * @param key the key's name
   */
  spoilPermits?(key: string): Promise<void>;
  /**
   * Makes what is stored of a budget unreadable.
   * @param budget the budget's name
   */
  spoilBudget?(budget: string): Promise<void>;
  /**
   * Makes what is stored of a bucket unreadable.
   * @param bucket which one
   */
  spoilBucket?(bucket: BucketRef): Promise<void>;
  /**
   * Makes what is stored of a limit record unreadable: its values, or all of it.
   * @param target whose limit it is
   */
  spoilLimit?(target: LimitTarget): Promise<void>;
}

/**
 * Faults, by pairs. The suite uses them only after every other case has ended, one case at a time, and always undoes
 * them.
 */
export interface StoreFaults {
  /** Ends the server at once, as SIGKILL does. Needs `restart`. */
  kill?(): Promise<void>;
  /**
   * Starts the killed server again, with its data or empty; resolves when it answers.
   * @param options whether the data is kept
   */
  restart?(options: { readonly keepData: boolean }): Promise<void>;
  /** Stops the server without ending it, as SIGSTOP does. Needs `resume`. */
  pause?(): Promise<void>;
  /** Lets the stopped server go on. */
  resume?(): Promise<void>;
  /** Drops everything between the stores and the server, silently. Needs `heal`. */
  partition?(): Promise<void>;
  /** Takes every fault away. */
  heal?(): Promise<void>;
  /**
   * Sets the store's clock forward (or back, when negative) by this much. The suite sets it back afterwards.
   * @param byMs milliseconds; below 0 sets it back
   */
  shiftClock?(byMs: number): Promise<void>;
}
