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
 * # The store contract
 *
 * This file, and what members say and are answered, in `members.ts` beside it, are all that a store author needs to
 * read; what `inspect` and `repair` answer is in `inspect-and-repair.ts`, and a page of a list in `listing.ts`. A store
 * keeps, for every *group*, a ledger of its members: who is alive, which *generation* of the membership each has
 * adopted, and how many tokens each *holds*. All reasoning about what a processor may do with the answers lives in
 * `@dt/core`; a store only keeps the ledger, atomically, on its own clock.
 *
 * `@dt/core/ledger` exports the ledger itself as pure functions over a small table of rows (`register`, `sync`,
 * `deregister`, `inspect`). A store that can run JavaScript inside a transaction (SQLite), or read, compute and
 * compare-and-swap, need not write any rule of this page again. A store that must compute on the server (Lua, SQL)
 * ports those functions; `@dt/conformance` tells whether the port is right.
 *
 * ## Rules
 *
 * - **R1 atomic.** Every operation on a group is atomic with respect to every other operation on that group, from any
 *   process.
 * - **R2 store time.** All times in the ledger are the store's, never the caller's. A group's time never goes back:
 *   - When the server's clock goes back, the group's time goes on from where it was.
 *   - It is at least the `observedMs` of every request, since members' epochs went on while nobody called. `observedMs`
 *     counts as at most a day ahead of the store's own clock, so that one member's error does not move a group's time
 *     for good.
 *   - After a quiet stretch (nobody called for long, or the clock jumped ahead) at most a quarter of the smallest stale
 *     age of a live member counts as silence, so that a jump removes nobody who is alive. That quarter is found anew
 *     whenever the membership changes: whoever is gone slows nothing down.
 * - **R3 incarnations.** A member is one boot of a processor, told apart by its `incarnation`. `sync` of an incarnation
 *   that is not in the group answers `unknown`. Two processes may run under one id: each incarnation is then a member
 *   of its own, and the store finds out which of them lives. A member is one of three:
 *   - A *newcomer* has registered, but nothing shows that it lives: a registration may be the late message of a process
 *     that died. So it fences nobody.
 *   - The *holder* of its id has shown that it lives. An id has at most one. A newcomer shows it with its first `sync`
 *     that names the generation of its registration or a later one: it has read an answer. (A `sync` that names an
 *     earlier one was sent before the registration, and shows nothing.)
 *   - A *fenced* member lost its id to another. It stays a member, with what it holds, until it deregisters or goes
 *     stale, since it may still be using its share. Its `sync` answers `fenced`.
 *
 *   When a newcomer shows that it lives while its id has a holder, the one that registered later is the holder from
 *   then on, and the other is fenced. A registration with `rejoin` comes from a process that was away, and takes the id
 *   from nobody: it counts as earlier than any without `rejoin`, and is answered `fenced` at once where another
 *   incarnation is the holder already.
 * - **R4 heartbeat and stale age.** `register` and `sync` are heartbeats. Both first remove members whose last
 *   heartbeat is older than their `staleAfterMs`, with what they hold; never the caller itself.
 * - **R5 generations.** Every change of membership or capacity gives the group a new generation, strictly greater than
 *   any before and at least the store's time in milliseconds (so that a number lost in a failover is not given again to
 *   another membership).
 * - **R6 capacity.** A group's capacity is the smallest `max` that a live member declares. Its clock error is the
 *   largest `clockErrorMs` of a live member. One that is gone counts for as long as its clock may have been ahead when
 *   it went: until `clockErrorMs` after its removal.
 * - **R7 held.** A report may lower what its member holds, never raise it; a registration's `claim` is accepted as it
 *   is, since it is a fact. Only the store raises: a member that holds less than `fair = floor(capacity / poolSize)` is
 *   raised by what is free (`capacity` minus everything held), at most to `fair`. The raise is recorded before it is
 *   answered.
 * - **R8 learning.** While a group learns nobody is raised and there is no agreement: the store may have lost its data,
 *   and survivors claim first.
 *   - A group learns until it is `learningMs` old, on the time that counts for silence (R2). The largest `learningMs`
 *     registered counts, at most twice the `staleAfterMs` it comes with; a later registration with a smaller one
 *     shortens nothing.
 *   - A store that can tell since when its data was certainly not lost (`capabilities.dataAge`) counts from then where
 *     that is earlier than the group's creation. So a group that is new in data older than its `learningMs` does not
 *     learn.
 *     An interval of a clock that may jump is no such age: it is the sum of stretches between operations, each up to a
 *     bound.
 *   - After a repair (R18) a group learns for the longest stale age registered: shares that are no longer on record may
 *     be valid for so long.
 * - **R9 agreement.** A member has adopted a generation when a report names it and what the member holds is at most
 *   fair; a newcomer has adopted the generation that its registration makes when its claim is at most fair. When every
 *   live member has adopted the current generation, the answer is `agree`, and the member answered is recorded as
 *   holding `ceil(capacity / poolSize)`, because it may own a token of the remainder. Otherwise the answer is
 *   `disagree`, with the largest pool size reported.
 * - **R10 ranks.** Within a generation the members' ranks are exactly 0 .. poolSize - 1.
 * - **R11 repeats.** Every mutation is safe to repeat and to arrive late. `seq` grows with every request of an
 *   incarnation; a request whose `seq` is not greater than the last one is answered, and may raise, but it neither
 *   adopts, lowers nor counts as a heartbeat.
 * - **R12 farewell.** `deregister` removes the member at once, and succeeds when it is not there.
 * - **R13 levels.** The last level of a member that left, gracefully or not, is answered as `resumeLevel` to the next
 *   registration of the same id within the member's `resumeWithinMs`.
 * - **R14 intervals.** A group has one `intervalMs`. A registration with another one is refused
 *   (`DT_INTERVAL_MISMATCH`) while the group has members.
 * - **R15 isolation.** Groups do not see each other, whatever their names: any non-empty string of up to 1,024 UTF-8
 *   bytes.
 * - **R16 deadlines.** Every call settles, and never later than the adapter's own deadline (about a second by default).
 *   It fails with a `DtError`: `DT_STORE_TIMEOUT` or `DT_STORE_UNAVAILABLE` when the server does not answer,
 *   `DT_ABORTED` as soon as `signal` aborts, `DT_STORE_CLOSED` after `close()`. Its `effect` is `unknown` unless the
 *   mutation certainly did not happen. No mutation is sent again behind the caller's back.
 * - **R17 cost.** One round trip and O(1) or O(log n) work for each `sync`; no list of members is read. A change of
 *   membership may count the members' rows.
 * - **R18 damage.** What is stored carries the version of its format, and is checked when it is read.
 *   - What is of a newer version is refused (`DT_STORE_DATA`) and not changed.
 *   - A damaged member is removed, and its group then learns (R8). Of a damaged group, or where a group's own row is
 *     missing beside members that are left over, the members are forgotten, and it learns. Where that is not possible
 *     the error (`DT_STORE_DATA`) names what is damaged and the command that repairs it.
 *   - Pool size and sum of what is held are counted anew when the membership changes: every time in a group of up to 64
 *     members, in a larger one about once in 16 changes. A store that serves nobody while it counts may do so once in a
 *     quarter as many changes as there are members: then a change costs four rows on average.
 * - **R19 entitlement.** Every answer to a member says what it may use, and from when; a processor works out neither.
 *   - `entitled` is what the member holds, at most fair (R7) unless it shares by demand (R24) or has turns (R23).
 *   - `fromEpoch` is the first epoch in which it may use all of it (R20).
 * - **R20 start.** Tokens may be used by another member as soon as nobody else can have used them in the same epoch. A
 *   group keeps two numbers for this: `freedEpoch`, the newest epoch that tokens became free in, and `spent`, how many
 *   of the tokens that became free in it were used in it before.
 *   - A report that lowers what its member holds frees tokens in the epoch that its `use` names, and a farewell
 *     everything that was held. Of what is freed, as many are spent as were used in that epoch beyond what is still
 *     held. Where there is no `use`, and when a stale member is removed, everything freed is spent, in the newest epoch
 *     that anybody may have begun: that of the group's time plus its clock error (R6).
 *   - A report that adopts a generation (R9) counts like one that frees nothing: the split before may have been in use
 *     in the epoch that it names.
 *   - An epoch that is newer than `freedEpoch` takes its place, and `spent` begins at 0. Of tokens freed in an older
 *     one nothing is spent. A raise never lowers `spent`.
 *   - Of a raise, `early` tokens may be used from `freedEpoch` on: as many as are free and not spent. The rest, and on
 *     `agree` the exact split, may be used from `fromEpoch = freedEpoch + 1` on.
 *   - Everything counts as spent, in the newest epoch that anybody may have begun: when a group has learned (R8),
 *     unless it is new and every epoch is over in which lost shares can have been used; when the capacity grows; when
 *     an incarnation joins again that is not on record any more. While a group learns, neither number is known.
 * - **R21 wants.** A member whose requests carry `demand` shares by demand, any other evenly. Its `want` is rounded up
 *   to a grid: 0 to 15, then 8 steps to an octave (16, 18, ... 30, 32, 36, ...). A group counts how many want how much.
 *   Of these counts, its capacity and pool size n follows, all in whole numbers, with `keep = floor(capacity / 50)`:
 *   - `reserve = floor(keep / n)` is due to each. Where that is 0, `float` tokens are kept free for those that hold
 *     nothing: `keep`, at most as many as members want 0.
 *   - A member is due its want, at least `reserve`, at most the capacity. What is there for them is the capacity less
 *     `float`, and less fair (R7) for each that shares evenly. Where fair is 0, a member that shares evenly beside one
 *     that shares by demand counts as wanting 1.
 *   - When they are due more than is there, tokens are *scarce*: `level` is the largest whole number at which all
 *     together get no more than is there, if nobody gets more than that. What is then left over are the odd tokens; the
 *     takers are those that are due more than the level.
 *   - Otherwise `level` is the capacity, and what is left over is the spare: `extra = floor(floor(spare / 2) / n)`, at
 *     least 1 where the spare is n or more, and the whole spare where n is 1.
 * - **R22 target.** What a member needs is `min(max(want, reserve), level)`; of one that shares evenly, fair. (One that
 *   counts as wanting 1 needs and is raised like one that shares by demand.) One that
 *   shares by demand and holds less than `need + ceil(extra / 2)` (`need + extra` where n is 1) is raised to `need +
 *   extra`, as far as tokens are free; into the float only one that holds less than `max(1, reserve)`.
 *   - Somebody who is answered less than it needs, by more than `floor(need / 16)`, makes the group hungry: for 1.1
 *     sync intervals of whoever asks, and 200 ms. The time is noted anew after 750 ms at the earliest, or three
 *     quarters of a sync interval of the one that starves where that is shorter. Nobody does while the group learns,
 *     and where all share evenly.
 *   - `tight` is answered when tokens are scarce, the group is hungry, or n is above 1 and nothing is free, or less
 *     than a quarter of the spare.
 * - **R23 turns.** Tokens that cannot be divided take turns. While tokens are scarce and the group is not hungry, a
 *   member that wants more than the level and would hold just the level is raised by an odd token, if one is free and
 *   it has rested; or if one would be free and not spent (R20), and it gave none up for an interval. When a report of a
 *   member that has an odd token lowers what it holds, it has none any more, and rests: for `0.9 x (takers / odd - 1) x
 *   syncMs x max(1, level)`.
 *   - One that shares evenly and counts as wanting 1 (R21) has turns as well; its `syncMs` is 1.25 intervals. Its turn
 *     is over with the first report which says that it used something, or two intervals after it was raised. It may use
 *     what it needs, and the odd token until its turn is over.
 * - **R24 over.** While more is held than the capacity, also a member that shares by demand is entitled to fair at
 *   most.
 * - **R25 mixing.** A member that shares by demand never adopts a generation (R9). So a group that has one never
 *   answers `agree`.
 * - **R26 listing.** `list` tells which groups there are, a page at a time; it changes nothing.
 *   - Every group that has members from the first page to the last is in at least one of the pages, by its whole name,
 *     however many others come and go meanwhile. A group may be in several, and one that everybody left may be listed
 *     for as long as the store remembers it. A name under which nobody has ever registered is in none.
 *   - A page has about 100 names, and never more than 1,000. It may have none although more are to come: `next` is
 *     absent from the last page, and from no other.
 *   - A cursor is what `next` said, to whichever client of the same data. Anything else is refused
 *     (`DT_INVALID_OPTION`), as is a cursor that only means something to a server that has been restarted or replaced.
 * - **R27 activity.** What a report says of `activity` is what `inspect` says of that member, until its next report; a
 *   report that says nothing of it, or a registration, takes it away. It decides nothing: no raise, no lowering and no
 *   answer depends on it. A store in which a heartbeat that changes nothing is not recorded need not record one for
 *   the sake of this: it says what came with the last report that it recorded, and nothing once that is older than the
 *   member's stale age.
 *
 * The sum of what is held exceeds the capacity only where facts do (claims, a lowered capacity, remainders after an
 * agreement): the store never adds to it then.
 */
export interface CoordinationStore {
  /** What this store can do, as data; it drives which conformance cases run. */
  readonly capabilities: StoreCapabilities;
  /**
   * Makes what the store needs once, before its first call, where that may take longer than a call: tables, functions.
   * Settles by a deadline of its own, and as soon as `signal` aborts. A process calls it before it registers, without a
   * deadline of the caller's; done already, it resolves at once. Absent where there is nothing to make.
   * @throws DtError with the codes of R16
   */
  setUp?(signal?: AbortSignal): Promise<void>;
  /**
   * Joins a group, creating it if need be (R3, R7, R13, R14).
   * @throws DtError `DT_INTERVAL_MISMATCH`, and the codes of R16
   */
  register(group: string, registration: Registration, signal?: AbortSignal): Promise<View>;
  /**
   * Heartbeat and report, answered with what the member may hold. The only call in steady state.
   * @throws DtError with the codes of R16
   */
  sync(group: string, member: MemberRef, report: Report, signal?: AbortSignal): Promise<View>;
  /**
   * Leaves a group (R12).
   * @throws DtError with the codes of R16
   */
  deregister(group: string, member: MemberRef, farewell: Farewell, signal?: AbortSignal): Promise<void>;
  /**
   * The whole ledger of a group, for people and tools; changes nothing. O(members).
   * @throws DtError with the codes of R16
   */
  inspect(group: string, signal?: AbortSignal): Promise<GroupSnapshot>;
  /**
   * Calls back soon after the group's generation changed or agreement was reached, as a hint to sync early. Hints may
   * be lost or repeated; more than eight at once and two in a sync interval are heeded late (whoever may send on a
   * store's channel can hint without an end). Present exactly when `capabilities.push` is true. Resolves once
   * listening, with a function that ends it.
   * @throws DtError with the codes of R16
   */
  watch?(group: string, onChange: () => void, signal?: AbortSignal): Promise<() => void>;
  /**
   * Checks every row of a group, removes what is damaged and counts anew; with `reset` forgets the members and starts
   * the ledger anew, in a higher generation. Whenever it had to change something, the group learns first (R8, R18):
   * safe on a living fleet, whose members register again and claim. O(members).
   * @throws DtError `DT_STORE_DATA` when a row is of a newer version; the codes of R16
   */
  repair?(group: string, options?: RepairOptions, signal?: AbortSignal): Promise<RepairReport>;
  /**
   * One page of the groups that there are, in no order (R26): the first without a cursor, each other one with the
   * `next` of the page before it. Absent in a store that cannot tell.
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
   * False for storeless membership (pod count): the pool size is observed, nothing is held, and the promise is weaker.
   * There is no common clock then, so that on `agree` the remainder does not rotate: token `k` belongs to rank `k mod
   * poolSize` in every epoch.
   */
  readonly ledger: boolean;
  /**
   * True when the store can lose its data while its members live on (a server restarted empty), so that new groups need
   * a learning period.
   */
  readonly losesData: boolean;
  /** True when `watch` is present. */
  readonly push: boolean;
  /**
   * True when the store can tell since when its data was certainly not lost, so that a group that is new in old data
   * does not learn (R8). Only of interest where `losesData` is true. Absent counts as false.
   */
  readonly dataAge?: boolean;
  /** True when shares can follow demand (R21 to R25). Absent counts as false. */
  readonly demand?: boolean;
  /**
   * Where a change of the ledger costs much more than an answer that changes nothing: in groups of up to how many
   * members shares should follow demand. Processors then tell a change of what they want less often, and say so where a
   * group is larger (event `crowded`). Absent: in groups of any size.
   */
  readonly demandMembers?: number;
}
