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
 * A coordination store: for every group a ledger of who is alive, which generation of the membership each member has
 * adopted, and how many tokens each holds. The store keeps the ledger, atomically, on its own clock. Core does all
 * reasoning about what a member may do with the answers.
 *
 * R1, R2, ... are the rules of the store contract: docs/store-contract.md of the repository, with worked numbers. Of
 * every call these hold: operations on a group are atomic (R1), times are the store's (R2), a request may come twice or
 * late (R11), groups do not see each other (R15), and the call settles within the adapter's deadline (R16). It fails
 * with `DT_STORE_TIMEOUT` or `DT_STORE_UNAVAILABLE`, with `DT_ABORTED` as soon as `signal` aborts, with
 * `DT_STORE_CLOSED` after `close()`, and with `DT_STORE_DATA` for data that is damaged or newer (R18). The error's
 * `effect` is `unknown` unless the mutation certainly did not happen.
 */
export interface CoordinationStore {
  /** What this store can do, as data; it drives which conformance cases run. */
  readonly capabilities: StoreCapabilities;
  /**
   * Makes what the store needs once, before its first call, where that may take longer than a call: tables, functions.
   * Settles by a deadline of its own, and as soon as `signal` aborts. A process calls it before it registers, without a
   * deadline of the caller's; done already, it resolves at once. Absent where there is nothing to make.
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  setUp?(signal?: AbortSignal): Promise<void>;
  /**
   * Joins a group, creating it if need be. Counts as a heartbeat (R4) and makes a new generation (R5). The claim is
   * accepted as it is (R7). Answers what the member may use, and the level to resume (R13). Answers `fenced` to a
   * process that comes back while another one holds its id (R3).
   * @param group the group's name
   * @param registration the member and what it claims
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_INTERVAL_MISMATCH` while members run with another interval (R14), and the codes of R16
   */
  register(group: string, registration: Registration, signal?: AbortSignal): Promise<View>;
  /**
   * Heartbeat and report: the only call in steady state, one round trip without a look at lists (R17). Removes members
   * that went stale (R4). What the member holds is lowered to what it reports, and raised by what is free, up to what
   * it is due (R7, R22). Answers what the member may use and from which epoch (R19, R20), and whether all agree (R9).
   * Answers `unknown` to an incarnation that is not in the group, and `fenced` to one that lost its id (R3).
   * @param group the group's name
   * @param member the member that calls: its id and its incarnation
   * @param report what the member holds and used
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View>;
  /**
   * Leaves a group: the member is removed at once, with what it holds. Succeeds when it is not there (R12).
   * @param group the group's name
   * @param member the member that calls: its id and its incarnation
   * @param farewell what the member used at last
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
   * Calls back soon after the group's generation changed or agreement was reached, as a hint to sync early. Hints may
   * be lost or repeated; more than eight at once and two in a sync interval are heeded late (whoever may send on a
   * store's channel can hint without an end). Present exactly when `capabilities.hints` is true. Resolves once
   * listening, with a function that ends it.
   * @param group the group's name
   * @param listener the function that receives each of them
   * @param signal ends the call early, with its reason
   * @throws DtError with the codes of R16
   */
  onHint?(group: string, listener: () => void, signal?: AbortSignal): Promise<() => void>;
  /**
   * Checks every row of a group, removes what is damaged and counts anew; with `reset` forgets the members and starts
   * the ledger anew, in a higher generation. Whenever it had to change something, the group learns first (R8, R18):
   * safe on a living fleet, whose members register again and claim. O(members).
   * @param group the group's name
   * @param options whether the members are forgotten
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_STORE_DATA` when a row is of a newer version; the codes of R16
   */
  repair?(group: string, options?: RepairOptions, signal?: AbortSignal): Promise<RepairReport>;
  /**
   * One page of the groups that there are, in no order (R26): the first without a cursor, each other one with the
   * `next` of the page before it. Absent in a store that cannot tell.
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
   * made from the members' clocks, where the server has none. R2 then holds for the times in the ledger and for what
   * one client is answered; what two clients are answered at one instant may differ by up to 2 s, or by the time
   * between two calls of anybody in the group where that is longer.
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
   * True when the store can tell since when its data was certainly not lost, so that a group that is new in old data
   * does not learn (R8). Only of interest where `losesData` is true. Absent counts as false.
   */
  readonly dataAge?: boolean;
  /** True when shares can follow demand (R21 to R25). Absent counts as false. */
  readonly demand?: boolean;
  /**
   * Where a change of the ledger costs much more than an answer that changes nothing: in groups of up to how many
   * members shares should follow demand. Members then tell a change of what they want less often, and say so where a
   * group is larger (event `crowded`). Absent: in groups of any size.
   */
  readonly demandMembers?: number;
}
