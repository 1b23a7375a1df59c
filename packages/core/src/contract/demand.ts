/** What a member reports whose share follows its demand. */
export interface Demand {
  /** Tokens that it could use per epoch, a whole number. The ledger rounds it up to its grid (R21). */
  readonly want: number;
  /** Its own sync interval, in milliseconds: how long it takes to learn of a change (R23). */
  readonly syncMs: number;
  /** Present for a member of a semaphore: its tokens are slots (R28). Only for stores with `capabilities.slots`. */
  readonly slots?: SlotDemand;
}

/** What a member of a semaphore reports of its callers (R28). */
export interface SlotDemand {
  /** Slots that its callers wait for, a whole number. */
  readonly waiting: number;
  /** Slots that the first of these callers waits for, a whole number (R34); 0 where no caller waits. */
  readonly head: number;
  /**
   * True where the member counted the offer of a hint since its last request (R30). When it gives that turn up, it goes
   * to the end of the queue. Without it the hint may be lost or late, and the member keeps its place.
   */
  readonly tookOffer: boolean;
}

/** The part of an answer for such a member. The member lowers its own share by it, and never raises its share (R22). */
export interface DemandView {
  /** The most tokens that a member is due: the max-min water level where tokens are scarce, otherwise the capacity. */
  readonly waterLevel: number;
  /** The least tokens that each member is due, whether it wants them or not. */
  readonly reserve: number;
  /** Tokens that each gets on top while there is plenty; 0 where tokens are scarce. */
  readonly extra: number;
  /** True when one of the tokens it holds is to be given back after its turn (R23). */
  readonly odd: boolean;
  /** True when it should give up the tokens that it is not due, with a report of its own right after this answer. */
  readonly tight: boolean;
  /** True when a member lately got less than it is due: a member that holds too much should report soon. */
  readonly hungry: boolean;
  /** Present where the member reported {@link Demand.slots}. */
  readonly slots?: SlotView;
}

/** What a member of a semaphore is answered besides. */
export interface SlotView {
  /** True while more is held than the capacity: no member may begin a call (R32). */
  readonly over: boolean;
  /** True where another member of the queue lacks slots, as far as the store looked (R33). */
  readonly wanted: boolean;
  /** Slots that the members before this one in the queue lack, as far as the store looked (R33). */
  readonly place: number;
  /** Slots that go round, since they cannot be divided among the members that want them (R33). */
  readonly turns: number;
}

/** What a store reports to one member of a semaphore between two of its requests. */
export type SlotHint = SlotOffer | SlotAsk;

/** The member was raised, on record, before this hint was sent (R30). */
export interface SlotOffer {
  /** This hint is an offer. */
  readonly kind: "offer";
  /** The slots that it is recorded as holding from now on. */
  readonly held: number;
  /**
   * The last request of the member that the store has seen. The raise counts only if the member has sent none since.
   */
  readonly seq: number;
  /** As in a {@link DemandView}. */
  readonly waterLevel: number;
  /** True where another member of the queue lacks slots. */
  readonly wanted: boolean;
}

/** Another member lacks slots, and none is free (R31). */
export interface SlotAsk {
  /** This hint asks for slots. */
  readonly kind: "ask";
  /** How many slots the member is to give up with its next releases; 0: its turn ends when it is over. */
  readonly give: number;
  /** As in a {@link DemandView}. */
  readonly waterLevel: number;
}
