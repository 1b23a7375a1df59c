import type { MemberView, View } from "@dt/core";
import type { Profile, Settings } from "../plan/plan.ts";
import type { ProcessObserver, SimProcess } from "../world/sim-process.ts";
import type { SimStore } from "../world/sim-store.ts";
import { EpochBook, type EpochRecord } from "./epochs.ts";
import { Raises } from "./raises.ts";
import { MEASURED, type Rule, type Violation } from "./violation.ts";

/** What the checker knows of a member besides the world's own facts. */
interface Standing {
  lastEpoch: number;
  granted: number;
  lastGrant: { readonly epoch: number; readonly tokens: number };
  generation: number;
  era: number;
  /** The `max` in force for it: the capacity it was last answered. */
  limit: number;
  readonly raises: Raises;
  /** The exact split the member was last told of, and the first epoch in which it may use it. */
  split: MemberView | undefined;
}

/**
 * Watches every grant, all that is given back and every answer, and compares them with what the world knows: real store
 * time, what was answered and when it was sent. Nothing here asks the core what it believes, except for the number of
 * the epoch a grant is counted in.
 */
export class Checker implements ProcessObserver {
  readonly book: EpochBook;
  readonly violations: Violation[] = [];
  readonly #settings: Settings;
  readonly #measured: ReadonlySet<Rule>;
  readonly #store: SimStore;
  readonly #now: () => number;
  readonly #standings = new Map<SimProcess, Standing>();
  readonly #localNow: (process: SimProcess) => number;

  constructor(
    profile: Profile,
    settings: Settings,
    store: SimStore,
    now: () => number,
    localNow: (process: SimProcess) => number,
  ) {
    this.#measured = MEASURED[profile];
    this.#settings = settings;
    const { intervalMs, clockErrorMs } = settings;
    this.book = new EpochBook(() =>
      store.era > 0 && store.clockJumps > 0 ? intervalMs + 2 * clockErrorMs + 100 : Number.POSITIVE_INFINITY,
    );
    this.#store = store;
    this.#now = now;
    this.#localNow = localNow;
  }

  report(rule: Rule, detail: string): void {
    if (this.#measured.has(rule)) return;
    if (this.violations.length < 20) this.violations.push({ rule, atMs: this.#now(), detail });
  }

  granted(process: SimProcess, epoch: number, tokens: number): void {
    const standing = this.#standing(process);
    standing.granted += tokens;
    const booked = this.#booked(epoch);
    if (epoch < standing.lastEpoch)
      this.report("epoch-back", `${process.label} granted in epoch ${epoch} after ${standing.lastEpoch}`);
    if (booked === epoch) standing.lastEpoch = epoch;
    if (!process.polling) standing.lastGrant = { epoch, tokens };
    const record = this.book.grant(process, booked, tokens, standing.limit, this.#now());
    this.#checkSum(record);
    if (process.state === "stopping") this.report("granted-after-stop", `${process.label} granted ${tokens}`);
    const used = record.byProcess.get(process) ?? 0;
    this.#checkRecord(process, used - standing.raises.spent(epoch), epoch);
    const most = standing.raises.most(epoch);
    if (used > most)
      this.report("raise-too-early", `${process.label} granted ${used} in ${epoch}, ${most} had begun by then`);
    this.#checkValidity(process);
    this.#checkLabel(process, epoch);
    this.#checkOwner(process, standing, epoch);
  }

  /** A caller gave tokens back that were granted to it in `epoch`: they may be granted again, in that epoch. */
  gaveBack(process: SimProcess, epoch: number, tokens: number): void {
    if (this.#booked(epoch) !== epoch) return;
    const excess = this.book.giveBack(process, epoch, tokens);
    if (excess > 0) this.report("grant-count", `${process.label} took back ${excess} more than it granted in ${epoch}`);
  }

  /** Of what a caller gave back the throttle did not take this many. */
  lost(process: SimProcess, epoch: number, tokens: number): void {
    if (this.#booked(epoch) === epoch) this.#checkSum(this.book.lost(process, epoch, tokens));
  }

  /**
   * Core itself took back what was collected for a call that was given up. What may not be granted again may as well
   * have been used.
   */
  tookBack(process: SimProcess, epoch: number, tokens: number, regrantable: boolean): void {
    if (regrantable) this.gaveBack(process, epoch, tokens);
  }

  /**
   * A call began. The calls that begin in an epoch cost at most the limit and what each process had collected before
   * the epoch, which is below its largest cost. Counted in the epoch of the newest grant: no token is newer.
   */
  began(process: SimProcess, cost: number): void {
    const { lastEpoch } = this.#standing(process);
    const record = this.book.of(lastEpoch);
    const begun = (record.begun.get(process) ?? 0) + cost;
    record.begun.set(process, begun);
    const most = (record.byProcess.get(process) ?? 0) + process.largestCost - 1;
    if (begun > most)
      this.report("epoch-calls", `${process.label} began calls of ${begun} in ${lastEpoch}, where ${most} may begin`);
    const collected = [...record.begun.keys()].reduce((sum, { largestCost }) => sum + largestCost - 1, 0);
    const all = [...record.begun.values()].reduce((sum, tokens) => sum + tokens, 0);
    if (all > record.limit + collected)
      this.report(
        "epoch-calls",
        `epoch ${lastEpoch}: calls of ${all} began, of ${record.limit} and ${collected} before`,
      );
  }

  /** A batch came out; what was granted last was for it, and what it did not need was not used. */
  batched(process: SimProcess, items: number): void {
    const { epoch, tokens } = this.#standing(process).lastGrant;
    process.returned += tokens;
    if (items > tokens) this.report("grant-count", `${process.label} got ${items} items for ${tokens} tokens`);
    else this.gaveBack(process, epoch, tokens - items);
  }

  registers(process: SimProcess): void {
    this.#standing(process).raises.registered();
  }

  reports(process: SimProcess, held: number): void {
    const { raises, lastEpoch } = this.#standing(process);
    raises.reported(held, lastEpoch, this.book.of(lastEpoch).byProcess.get(process) ?? 0);
  }

  answered(process: SimProcess, view: View, expired: boolean): void {
    const standing = this.#standing(process);
    if (view.status === "unknown" || view.status === "fenced") {
      standing.split = undefined;
      if (expired) standing.raises.expired();
      return;
    }
    this.#told(process, standing, view as MemberView, expired);
  }

  #told(process: SimProcess, standing: Standing, view: MemberView, expired: boolean): void {
    standing.raises.answered({ ...view, most: view.status === "agree" ? view.held : view.entitled }, expired);
    if (standing.era === this.#store.era && view.generation < standing.generation)
      this.report("generation-back", `${process.label}: ${view.generation} after ${standing.generation}`);
    const same = standing.generation === view.generation && standing.era === this.#store.era;
    standing.generation = view.generation;
    standing.era = this.#store.era;
    // A `max` that was lowered while the store lost its data is in force once everybody had the time to say what they
    // hold.
    standing.limit = view.learning ? Math.max(standing.limit, view.capacity) : view.capacity;
    if (view.status === "disagree" || !same) standing.split = undefined;
    if (view.status === "agree" && !standing.split) standing.split = view;
  }

  /**
   * What callers were given is what was counted. Called when a member is idle: nothing granted is still on its way
   * to a caller.
   */
  checkCount(process: SimProcess): void {
    const { granted } = this.#standing(process);
    // What was collected for calls that were given up was returned to none.
    if (process.largestCost > 1 ? granted < process.returned : granted !== process.returned)
      this.report("grant-count", `${process.label} counted ${granted}, callers got ${process.returned}`);
  }

  /** The calls that may have been made in an epoch sum to at most the limit. */
  #checkSum({ epoch, net, limit, byProcess }: EpochRecord): void {
    if (net <= limit) return;
    const by = [...byProcess].map(([process, tokens]) => `${process.label}: ${tokens}`);
    this.report("epoch-sum", `epoch ${epoch}: ${net} of ${limit} granted, by ${by.join(", ")}`);
  }

  /**
   * A member uses no more than the store has recorded for it, whatever the others do, besides what it gave up used; a
   * store that learns does not have all records yet.
   */
  #checkRecord(process: SimProcess, used: number, epoch: number): void {
    if (this.#store.learning) return;
    const held = process.incarnation && this.#store.table.member(process.incarnation)?.held;
    if (typeof held === "number" && used > held)
      this.report("granted-beyond-record", `${process.label} granted ${used} in ${epoch}, the store has ${held}`);
  }

  #checkValidity(process: SimProcess): void {
    if (this.#settings.onStoreLost !== "stop") return;
    const sinceMs = this.#localNow(process) - process.lastViewSentMs;
    if (sinceMs >= this.#settings.validityMs)
      this.report("validity", `${process.label} granted ${sinceMs.toFixed(3)} ms after its last successful call`);
  }

  /**
   * The number is that of the true epoch, give or take the clock error; but for a process that woke on a host that was
   * suspended. Says nothing once the store's clock was moved.
   */
  #checkLabel(process: SimProcess, epoch: number): void {
    if (this.#store.clockJumps > 0 || this.#store.era > 0) return;
    const { intervalMs } = this.#settings;
    const { clockErrorMs } = process;
    const trueMs = this.#store.groupTimeMs;
    const lags = epoch < Math.floor((trueMs - clockErrorMs) / intervalMs);
    if (!lags) process.waking?.inTime();
    if (lags ? !process.waking?.mayLag(epoch) : epoch > Math.floor((trueMs + clockErrorMs) / intervalMs))
      this.report("epoch-label", `${process.label} granted in epoch ${epoch} at store time ${trueMs.toFixed(3)}`);
  }

  /**
   * Under which number a grant counts: its own, but for a member with a floor that has never heard the store's clock
   * and counts epochs on its own. What that one grants counts in the true epoch, in which it may have two of its own;
   * what it takes back is not taken off, for the worst case.
   */
  #booked(epoch: number): number {
    const { onStoreLost, intervalMs } = this.#settings;
    if (onStoreLost === "stop" || onStoreLost.type !== "floor") return epoch;
    const trueEpoch = Math.floor(this.#store.groupTimeMs / intervalMs);
    return Math.abs(epoch - trueEpoch) > 1 ? trueEpoch : epoch;
  }

  /**
   * In one epoch only one exact split is in use, and no rank of it by two members: then no token number has two
   * owners.
   */
  #checkOwner(process: SimProcess, standing: Standing, epoch: number): void {
    const { split } = standing;
    if (!split || epoch < split.fromEpoch) return;
    const record = this.book.of(epoch);
    record.split ??= { generation: split.generation, ranks: new Map() };
    if (record.split.generation !== split.generation) {
      this.report(
        "token-owner",
        `epoch ${epoch}: splits of generations ${record.split.generation} and ${split.generation}`,
      );
      return;
    }
    const owner = record.split.ranks.get(split.rank);
    if (owner && owner !== process)
      this.report("token-owner", `epoch ${epoch}: rank ${split.rank} is used by ${owner.label} and ${process.label}`);
    record.split.ranks.set(split.rank, process);
  }

  #standing(process: SimProcess): Standing {
    let standing = this.#standings.get(process);
    if (!standing) {
      standing = {
        lastEpoch: Number.NEGATIVE_INFINITY,
        granted: 0,
        lastGrant: { epoch: Number.NEGATIVE_INFINITY, tokens: 0 },
        generation: 0,
        era: 0,
        limit: 0,
        raises: new Raises(),
        split: undefined,
      };
      this.#standings.set(process, standing);
    }
    return standing;
  }
}
