import type { SlotHint } from "./demand.ts";
import type { GroupSnapshot, RepairOptions, RepairReport } from "./inspect-and-repair.ts";
import type { GroupPage } from "./listing.ts";
import type { Farewell, MemberRef, Registration, Report, View } from "./members.ts";

export type {
  Activity,
  Farewell,
  MemberRef,
  MemberView,
  RefusedView,
  Registration,
  Report,
  Use,
  View,
} from "./members.ts";

/**
 * A coordination store keeps a ledger for every group: the members that are alive, the generation that each has
 * adopted, and the tokens that each holds. It keeps the ledger atomically, on its own clock. Core decides what a member
 * may do with the answers.
 *
 * R1, R2, ... are the rules of the store contract: docs/store-contract.md of the repository, with worked numbers. For
 * every call these hold: operations on a group are atomic (R1), and times are the store's (R2). A request may come
 * twice or late (R11). Groups do not see each other (R15). The call settles within the adapter's deadline (R16). It
 * fails with `DT_STORE_TIMEOUT` or `DT_STORE_UNAVAILABLE`, with `DT_ABORTED` as soon as `signal` aborts, with
 * `DT_STORE_CLOSED` after `close()`, and with `DT_STORE_DATA` for data that is damaged or newer (R18). The error's
 * `effect` is `unknown` unless the mutation certainly did not happen.
 */
export interface CoordinationStore {
  /** What this store can do, as data; it drives which conformance cases run. */
  readonly capabilities: StoreCapabilities;
  /**
   * Makes the tables or functions that the store needs before its first call, where that may take longer than a call.
   * Settles by a deadline of its own, and as soon as `signal` aborts. A process calls it before it registers, without a
   * deadline of the caller's. It resolves at once where it was done before. Absent where there is nothing to make.
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  setUp?(signal?: AbortSignal): Promise<void>;
  /**
   * Joins a group, creating it if need be. Counts as a heartbeat (R4) and makes a new generation (R5). The claim is
   * accepted as it is (R7). Answers how many tokens the member may use, and the level to resume (R13). Answers `fenced`
   * to a process that comes back while another one holds its id (R3).
   * @param group the group's name
   * @param registration the member, and the tokens that it claims
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_INTERVAL_MISMATCH` while members run with another interval (R14), and the codes of R16
   */
  register(group: string, registration: Registration, signal?: AbortSignal): Promise<View>;
  /**
   * Heartbeat and report: the only call in steady state, one round trip without a look at lists (R17). Removes members
   * that went stale (R4). Lowers the tokens that the member holds to those that it reports. Raises them by tokens that
   * are free, up to those that the member is due (R7, R22). Answers how many tokens the member may use and from which
   * epoch (R19, R20), and whether all members agree (R9). Answers `unknown` to an incarnation that is not in the group,
   * and `fenced` to one that lost its id (R3).
   * @param group the group's name
   * @param member the member that calls: its id and its incarnation
   * @param report the tokens that the member holds and used
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View>;
  /**
   * Leaves a group: the member is removed at once, with the tokens that it holds. Succeeds also when the member is not
   * there (R12).
   * @param group the group's name
   * @param member the member that calls: its id and its incarnation
   * @param farewell the tokens that the member used at last, and its level
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void>;
  /**
   * The whole ledger of a group, for people and tools; changes nothing. O(members).
   * @param group the group's name
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot>;
  /**
   * Calls back soon after the group's generation changed, agreement was reached, or a pause was set or lengthened
   * (`"pause"`, R35), as a hint to sync early. Hints may be lost or repeated. A member heeds eight hints at once and
   * two in each sync interval, and further ones late. This bounds a client that sends hints on the store's channel
   * without an end. Present exactly when `capabilities.hints` is true. Resolves once listening, with a function that
   * ends it.
   * @param group the group's name
   * @param listener the function that receives each of them
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  onHint?(group: string, listener: (about?: "pause") => void, signal?: AbortSignal): Promise<() => void>;
  /**
   * Calls back with each hint for one member of a semaphore (R30, R31). Hints may be lost, repeated or late. Without a
   * hint it was called because hints may have been missed. Present exactly when `capabilities.slots` and
   * `capabilities.hints` are true. Resolves once listening, with a function that ends it.
   * @param group the group's name
   * @param member the member that the hints are for: its id and its incarnation
   * @param listener the function that receives each of them
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  onSlotHint?(
    group: string,
    member: MemberRef,
    listener: (hint: SlotHint | undefined) => void,
    signal?: AbortSignal,
  ): Promise<() => void>;
  /**
   * Checks every row of a group, removes damaged rows and counts anew. With `reset` it forgets the members and starts
   * the ledger anew, in a higher generation. When it changed anything, the group learns first (R8, R18). It is safe on
   * a living fleet: the members register again and claim their tokens. O(members).
   * @param group the group's name
   * @param options whether the members are forgotten
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_STORE_DATA` when a row is of a newer version; the codes of R16
   */
  repair?(group: string, options?: RepairOptions, signal?: AbortSignal): Promise<RepairReport>;
  /**
   * One page of the groups that there are, in no order (R26). The first page takes no cursor, each other one the `next`
   * of the page before it. Absent in a store that cannot list them.
   * @param cursor the `next` of the page before; left out for the first page
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_INVALID_OPTION` for a cursor that no page gave; the codes of R16
   */
  list?(cursor?: string, signal?: AbortSignal): Promise<GroupPage>;
  /** Ends connections that the store opened itself (never a client handed in) and fails pending calls. Idempotent. */
  close(): Promise<void>;
}

/** What a store can do. */
export interface StoreCapabilities {
  /** Short name for messages and reports, such as `"redis"`. */
  readonly name: string;
  /**
   * `server`: one clock at the store. `host`: the machine's clock, shared by its processes. `hybrid`: a logical clock
   * made from the members' clocks, where the server has none. R2 then holds for the times in the ledger and in the
   * answers to one client. The times in answers to two clients at one instant may differ by up to 2 s. Where the calls
   * in the group are further apart, these times may differ by as much as the calls.
   */
  readonly clock: "server" | "host" | "hybrid";
  /**
   * False for storeless membership (pod count): the number of members is observed, nothing is held, and the promise is
   * weaker. There is no common clock then, so that on `agree` the remainder does not rotate: token `k` belongs to rank
   * `k mod memberCount` in every epoch.
   */
  readonly ledger: boolean;
  /**
   * True when the store can lose its data while its members live on (a server restarted empty), so that new groups need
   * a learning period.
   */
  readonly losesData: boolean;
  /** True when `onHint` is present. */
  readonly hints: boolean;
  /**
   * True when the store knows since when its data was certainly not lost. A group that is new in old data then does not
   * learn (R8). Only of interest where `losesData` is true. Absent counts as false.
   */
  readonly dataAge?: boolean;
  /** True when shares can follow demand (R21 to R25). Absent counts as false. */
  readonly demand?: boolean;
  /**
   * True when the store keeps the queue of a semaphore (R28 to R34). Absent counts as false: a semaphore then works by
   * R21 to R25 alone.
   */
  readonly slots?: boolean;
  /**
   * The most members of a group in which shares should follow demand. Present where a change of the ledger costs much
   * more than an answer that changes nothing. Members then report a changed want less often, and send the event
   * `crowded` where a group is larger. Absent: groups of any size.
   */
  readonly demandMembers?: number;
}
