import type { LimitLedger, LimitValues, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import { inspectPermits, instantOf, resetPermits } from "@dt/core/ledger";
import type { Fail } from "../member.ts";
import { OneAtATime } from "../one-at-a-time.ts";
import type { Rule } from "../rules.ts";
import type { PermitStore } from "./permit-store.ts";
import { PlainPermitTable } from "./plain-permit-table.ts";
import { printReservation } from "./print-reservation.ts";
import { followRelease, followReserve } from "./specification.ts";
import { INSTANT_TOLERANCE_MS } from "./tolerance.ts";

/** An answered request. */
export interface Answered {
  readonly request: PermitRequest;
  readonly reservation: Reservation;
  /** Instants on the store's clock. */
  readonly instants: readonly number[];
}

/** What every request of a key has in common. */
export type PermitDefaults = Omit<PermitRequest, "id">;

/**
 * One key as a case uses it, one call after the other: every answer must be the one that core's arithmetic gives at the
 * store's time. The first difference fails the case, by the rule that the case is about.
 */
export class PermitKey {
  readonly key: string;
  readonly defaults: PermitDefaults;
  readonly #store: PermitStore;
  readonly #fail: Fail;
  readonly #rule: Rule;
  readonly #table = new PlainPermitTable();
  readonly #oneAtATime = new OneAtATime();
  #ids = 0;

  constructor(store: PermitStore, key: string, defaults: PermitDefaults, rule: Rule, fail: Fail) {
    this.#store = store;
    this.key = key;
    this.defaults = defaults;
    this.#rule = rule;
    this.#fail = fail;
  }

  get everyMs(): number {
    return this.defaults.everyMs;
  }

  /** A request with an id of its own. */
  request(changes: Partial<PermitRequest> = {}): PermitRequest {
    this.#ids += 1;
    return { ...this.defaults, id: `r${this.#ids}-${this.key.slice(-40)}`, ...changes };
  }

  /** Asks, whatever the answer. */
  ask(changes: Partial<PermitRequest> = {}, store: PermitStore = this.#store): Promise<Answered> {
    return this.send(this.request(changes), store);
  }

  /** Sends a request, again perhaps. */
  async send(request: PermitRequest, store: PermitStore = this.#store): Promise<Answered> {
    const reservation = await this.#oneAtATime.ask(() => store.reserve(this.key, request));
    const followed = followReserve(this.#table, request, reservation);
    if ("expected" in followed)
      this.#fail(
        this.#rule,
        `reserve of id ${JSON.stringify(request.id.slice(0, 40))}\n  expected: ${printReservation(followed.expected)}\n  received: ${printReservation(reservation)}`,
      );
    this.#table.become(followed.after);
    const instants = Array.from({ length: reservation.granted }, (_, i) => instantOf(reservation, i));
    return { request, reservation, instants };
  }

  /** Asks and must be granted as many as asked for; gives the first instant besides. */
  async take(changes: Partial<PermitRequest> = {}, store?: PermitStore): Promise<Answered & { readonly atMs: number }> {
    const answered = await this.ask(changes, store);
    const { granted } = answered.reservation;
    if (granted !== answered.request.count)
      this.#fail(this.#rule, `granted is ${granted}, and ${answered.request.count} are free under the bound`);
    return { ...answered, atMs: answered.instants[0] as number };
  }

  /** Asks and must be refused. */
  async refused(changes: Partial<PermitRequest> = {}, why = "the bound is reached"): Promise<Answered> {
    const answered = await this.ask(changes);
    if (answered.reservation.granted > 0)
      this.#fail(this.#rule, `granted is ${answered.reservation.granted} although ${why}`);
    return answered;
  }

  async release({ request }: Pick<Answered, "request">, keep = 0, store: PermitStore = this.#store): Promise<void> {
    const release = { id: request.id, keep };
    await this.#oneAtATime.ask(() => store.release(this.key, release));
    // No instant comes between this call and the next one, in cases that are followed.
    this.#table.become(followRelease(this.#table, release, this.#table.row()?.lastMs ?? 0));
  }

  /** Sets what its limit record says, or removes it. */
  async setLimit(store: Pick<LimitLedger, "setLimit">, values: LimitValues | undefined): Promise<void> {
    const { revision } = await store.setLimit({ kind: "permits", name: this.key }, { values, by: "conformance" });
    this.#table.record = { revision, values: values ? JSON.stringify(values) : null, untilMs: null };
  }

  /** Resets the key (P12). */
  async reset(store: Required<Pick<PermitStore, "resetPermits">>): Promise<void> {
    await store.resetPermits(this.key);
    // What the case has reserved is far enough from the end of the minute that a few seconds do not matter.
    resetPermits(this.#table, this.#table.row()?.lastMs ?? 0);
  }

  /** What the store says that the key holds, which must be what the requests so far have left there (P13). */
  async inspect(store: Required<Pick<PermitStore, "inspectPermits">>): Promise<PermitSnapshot> {
    const snapshot = await store.inspectPermits(this.key);
    if (snapshot === undefined) return this.#fail(this.#rule, "inspectPermits knows nothing of a key in use");
    const right = inspectPermits(this.#table, this.key, snapshot.storeTimeMs);
    const { pausedForMs, reservedUntilMs, storeTimeMs } = snapshot;
    const leftMs = right?.pausedForMs ?? Number.NaN;
    const isSamePause = pausedForMs !== undefined && Math.abs(pausedForMs - leftMs) <= INSTANT_TOLERANCE_MS;
    const expected = { ...right, ...(isSamePause && { pausedForMs }), reservedUntilMs, storeTimeMs };
    if (inOrder(snapshot) !== inOrder(expected))
      this.#fail(
        this.#rule,
        `inspectPermits of a key\n  expected: ${inOrder(expected)}\n  received: ${inOrder(snapshot)}`,
      );
    this.at(snapshot.reservedUntilMs, right?.reservedUntilMs ?? 0, "reservedUntilMs");
    return snapshot;
  }

  /** The instant must be where the case puts it. */
  at(actualMs: number | undefined, expectedMs: number, what: string): void {
    if (actualMs !== undefined && Math.abs(actualMs - expectedMs) <= INSTANT_TOLERANCE_MS) return;
    const late = actualMs === undefined ? "there is none" : `it is ${(actualMs - expectedMs).toFixed(3)} ms off`;
    this.#fail(this.#rule, `${what}: expected the instant ${expectedMs}, received ${actualMs}; ${late}`);
  }
}

/** A snapshot as text that is the same whatever the order of its fields. */
function inOrder(snapshot: object): string {
  return JSON.stringify(Object.entries(snapshot).sort(([a], [b]) => (a < b ? -1 : 1)));
}
