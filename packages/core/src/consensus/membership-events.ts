import type { DtError } from "../errors/dt-error.ts";

/** A call of a member to its store. */
export type Operation = "register" | "sync" | "deregister" | "onHint" | "onSlotHint";

/** What a membership tells an operator, by name. */
export interface MembershipEvents {
  /** The membership or capacity of the group changed. */
  readonly generation: { readonly generation: number; readonly members: number; readonly capacity: number };
  /** Every live member has adopted the current generation (`agreed`), or no longer. */
  readonly agreement: { readonly agreed: boolean; readonly members: number; readonly generation: number };
  /**
   * The group has come to have more members than the store's `capabilities.demandMembers`, and this one shares by
   * demand: changes of demand may then take effect late.
   */
  readonly crowded: { readonly members: number; readonly most: number };
  /**
   * The fleet is paused: this process begins nothing for `forMs`, since it was asked to by `pauseUntil`, here or in
   * another process. Told again where the pause has become longer.
   */
  readonly paused: { readonly forMs: number };
  /** No successful sync for `validity`: from now on `onStoreLost` decides. */
  readonly validityLost: { readonly policy: "stop" | "hold" | "floor"; readonly silentMs: number };
  /** The store answers again and the share is valid. */
  readonly validityRegained: { readonly lostMs: number };
  /** A call to the store failed; it is tried again. */
  readonly storeError: { readonly operation: Operation; readonly error: DtError };
  /**
   * The store does not know this member any more, `silentMs` after it was last sent a request that it answered: the
   * member was removed after its silence, or the store has lost its data. The member registers again at once.
   */
  readonly forgotten: { readonly silentMs: number };
  /** A member that was forgotten is in the group again; it goes on with the `held` tokens that it claimed. */
  readonly rejoined: { readonly held: number };
  /**
   * This process did nothing for about `forMs`: it was stopped, its event loop was blocked, or (`machine`) the machine
   * was suspended, which ends the share. Noticed at the first look afterwards.
   */
  readonly stoodStill: { readonly forMs: number; readonly what: "process" | "machine" };
  /** Another process registered under this member's id; this one grants nothing more. */
  readonly fenced: { readonly memberId: string };
}
