import type { PermitRelease, PermitRequest, PermitSnapshot, Reservation, Runtime, Timer } from "@dt/core";
import { inspectPermits, meaningfulForMs } from "@dt/core/ledger";
import { contended } from "../backoff.ts";
import { CallCombiner } from "../call-combiner.ts";
import type { Session } from "../sessions.ts";
import {
  type Answer,
  type Changed,
  changePermits,
  isRefusal,
  isShared,
  type PermitOperation,
  renewInMs,
} from "./change-permits.ts";
import type { PermitCell, StoredPermits } from "./permit-cell.ts";
import { PermitClock } from "./permit-clock.ts";
import { decodePermits, encodePermits, type PermitDocument } from "./permit-document.ts";

/** Most calls written together. */
const MOST_CALLS = 64;

/** What a session works with. */
export interface PermitSessionOptions {
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** This client's own id. */
  readonly client: string;
}

interface Job {
  readonly operation: PermitOperation;
  readonly isOver: () => boolean;
  readonly resolve: (reservation: Reservation | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One key's permits as this client takes part in it: reads the document, computes, and writes it on condition that no
 * other client has. Calls that come together are written together. While instants lie ahead, the last writer records
 * the key's time anew, at least once when the last of them is past.
 */
export class PermitSession implements Session {
  readonly #cell: PermitCell;
  readonly #options: PermitSessionOptions;
  readonly #clock: PermitClock;
  /** Goes on from the document while this client only reads. It is not recorded. */
  readonly #lookClock: PermitClock;
  readonly #combiner: CallCombiner<Job>;
  /** What this client has written, as long as it knows of no later write. */
  #written: (StoredPermits & { readonly isShared: boolean }) | undefined;
  #renewal: Timer | undefined;
  #ended = false;

  constructor(cell: PermitCell, options: PermitSessionOptions) {
    this.#cell = cell;
    this.#options = options;
    this.#clock = new PermitClock(options.runtime);
    this.#lookClock = new PermitClock(options.runtime);
    this.#combiner = new CallCombiner((jobs) => this.#run(jobs), MOST_CALLS);
  }

  get isIdle(): boolean {
    return this.#renewal === undefined;
  }

  /** @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`, `DT_STORE_UNAVAILABLE`, and what the cell throws */
  async reserve(request: PermitRequest, over: AbortSignal): Promise<Reservation> {
    return (await this.#add({ kind: "reserve", request }, () => over.aborted)) as Reservation;
  }

  /** @throws as {@link reserve} */
  async release(release: PermitRelease, over: AbortSignal): Promise<void> {
    await this.#add({ kind: "release", release }, () => over.aborted);
  }

  /** @throws as {@link reserve}, but not for what is damaged */
  async reset(over: AbortSignal): Promise<void> {
    await this.#add({ kind: "reset" }, () => over.aborted);
  }

  /**
   * What the key holds, at its time as far as this client knows it: that of the last record, and what has passed since
   * this client saw that.
   * @throws DtError `DT_STORE_DATA`, and what the cell throws
   */
  async inspect(key: string): Promise<PermitSnapshot | undefined> {
    const stored = await this.#cell.read();
    if (!stored) return undefined;
    const { table, use } = decodePermits(stored.text, this.#cell.name);
    const record = { timeMs: table.row()?.lastMs ?? 0, mark: stored.revision };
    this.#lookClock.observe({ ...record, isOwn: false });
    const ownMs = this.#clock.timeOf({ ...record, isOwn: use.by === this.#options.client });
    return inspectPermits(table, key, Math.max(this.#lookClock.now(), ownMs));
  }

  end(): void {
    this.#ended = true;
    this.#renewal?.cancel();
    this.#renewal = undefined;
  }

  #add(operation: PermitOperation, isOver: () => boolean): Promise<Reservation | undefined> {
    return new Promise((resolve, reject) => this.#combiner.add({ operation, isOver, resolve, reject }));
  }

  async #run(jobs: readonly Job[]): Promise<void> {
    try {
      await this.#write(jobs);
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    } finally {
      // What nobody waits for any more ends as well, for those who count the calls under way. The rest has ended.
      for (const { resolve } of jobs) resolve(undefined);
    }
  }

  async #write(all: readonly Job[]): Promise<void> {
    const { runtime, timeoutMs } = this.#options;
    const startMs = runtime.now();
    let stored = this.#guess(all) ?? (await this.#cell.read());
    let lookMs = 0;
    for (let attempt = 1; ; attempt++) {
      // Whoever does not wait any more is not served: its permits would be nobody's.
      const jobs = all.filter(({ isOver }) => !isOver());
      const change = jobs.length > 0 && this.#apply(jobs, stored);
      if (!change) return settle(jobs, []);
      if (!change.document) return settle(jobs, change.answers);
      const committed = await this.#commit(change.document, stored);
      if (committed === true) return settle(jobs, change.answers);
      // For every race that is lost somebody else has won one. So the next attempt comes at once where the store has
      // said what is there now: with pauses, twenty contending processes got three quarters of the permits, and one
      // call in twenty found no end. Where that takes a request it comes at random within the time of two, or two
      // clients may fall into step, of which one always loses.
      if (lookMs >= 1) await this.#pause(2 * lookMs * runtime.random());
      const lookedMs = runtime.now();
      stored = await committed();
      lookMs = runtime.now() - lookedMs;
      if (runtime.now() - startMs >= timeoutMs) throw contended("the key", attempt);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.runtime.setTimer(resolve, ms));
  }

  /**
   * What is there if nobody has written since this client did. Where others use the key, it is rather not, and a failed
   * attempt costs as much as a look.
   */
  #guess(jobs: readonly Job[]): StoredPermits | undefined {
    const written = this.#written;
    const onlyRenews = jobs.every(({ operation }) => operation.kind === "renew");
    return written && (onlyRenews || !written.isShared) ? written : undefined;
  }

  #apply(jobs: readonly Job[], stored: StoredPermits | undefined): Changed | undefined {
    const operations = jobs.map(({ operation }) => operation);
    const { client } = this.#options;
    return changePermits(stored, operations, { clock: this.#clock, client, name: this.#cell.name });
  }

  /** True when it is written; otherwise how to look what is there instead. */
  async #commit(
    document: PermitDocument,
    stored: StoredPermits | undefined,
  ): Promise<true | (() => Promise<StoredPermits | undefined>)> {
    this.#written = undefined;
    const text = encodePermits(document);
    const replaced = await this.#cell.replace(stored?.revision, text, meaningfulForMs(document.table.state()));
    if (!replaced.done) return replaced.look;
    const { revision } = replaced;
    this.#written = { text, revision, isShared: isShared(document) };
    this.#clock.recorded(document.table.row()?.lastMs as number, revision);
    this.#renewIn(renewInMs(document));
    return true;
  }

  #renewIn(delayMs: number | undefined): void {
    this.#renewal?.cancel();
    this.#renewal = undefined;
    if (delayMs === undefined || this.#ended) return;
    const renew = (): void => {
      this.#renewal = undefined;
      // When it fails, the time stands still for whoever comes next, until somebody calls again.
      this.#add({ kind: "renew" }, () => this.#ended).catch(() => undefined);
    };
    this.#renewal = this.#options.runtime.setTimer(renew, delayMs, { keepAlive: false });
  }
}

function settle(jobs: readonly Job[], answers: readonly Answer[]): void {
  for (const [index, { resolve, reject }] of jobs.entries()) {
    const answer = answers[index];
    if (isRefusal(answer)) reject(answer);
    else resolve(answer);
  }
}
