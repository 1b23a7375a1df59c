import type { Runtime, Timer } from "@dt/core";
import { contended } from "../backoff.ts";
import { CallCombiner } from "../call-combiner.ts";
import { readLimitCell } from "../limits/limit-cell.ts";
import type { ReadLimit } from "../limits/limit-head.ts";
import type { Session } from "../sessions.ts";
import { type Changed, changeDocument, type DocumentOperation, isRefusal, type Outcome } from "./change-document.ts";
import type { DocumentCell, StoredDocument } from "./document-cell.ts";
import { DocumentClock } from "./document-clock.ts";
import type { DocumentKind, TimedDocument } from "./document-kind.ts";
import { isShared, renewInMs } from "./document-use.ts";

/** Most calls written together. */
const MOST_CALLS = 64;

/** What a session works with. */
export interface DocumentSessionOptions {
  readonly runtime: Runtime;
  readonly timeoutMs: number;
  /** This client's own id. */
  readonly client: string;
}

interface Job<Request, Answer> {
  readonly operation: DocumentOperation<Request>;
  readonly isOver: () => boolean;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One document as this client takes part in it: reads it, computes, and writes it on condition that no other client
 * has. Calls that come together are written together. While something lies ahead, the last writer records the
 * document's time anew, at least once when the last of it is past.
 */
export class DocumentSession<Contents, Request, Answer> implements Session {
  readonly #kind: DocumentKind<Contents, Request, Answer>;
  readonly #cell: DocumentCell;
  readonly #options: DocumentSessionOptions;
  readonly #limit: DocumentCell;
  readonly #clock: DocumentClock;
  /** Goes on from the document while this client only reads. It is not recorded. */
  readonly #lookClock: DocumentClock;
  readonly #combiner: CallCombiner<Job<Request, Answer>>;
  /** What this client has written, as long as it knows of no later write. */
  #written: (StoredDocument & { readonly isShared: boolean }) | undefined;
  #renewal: Timer | undefined;
  #ended = false;

  /** @param limit where the limit record is kept: it is read with each try of an operation with `stored` */
  constructor(
    kind: DocumentKind<Contents, Request, Answer>,
    cell: DocumentCell,
    options: DocumentSessionOptions,
    limit: DocumentCell,
  ) {
    this.#limit = limit;
    this.#kind = kind;
    this.#cell = cell;
    this.#options = options;
    this.#clock = new DocumentClock(options.runtime, kind.staysAhead);
    this.#lookClock = new DocumentClock(options.runtime, kind.staysAhead);
    this.#combiner = new CallCombiner((jobs) => this.#run(jobs), MOST_CALLS);
  }

  get isIdle(): boolean {
    return this.#renewal === undefined;
  }

  /** @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`, `DT_STORE_UNAVAILABLE`, and what the cell throws */
  run(request: Request, over: AbortSignal): Promise<Answer | undefined> {
    return this.#add({ kind: "request", request }, () => over.aborted);
  }

  /** @throws as {@link run}, but not for what is damaged */
  async reset(over: AbortSignal): Promise<void> {
    await this.#add({ kind: "reset" }, () => over.aborted);
  }

  /**
   * Looks at what is in the document, at its time as far as this client knows it. That is the time of the last record,
   * and what has passed since this client saw it.
   * @throws DtError `DT_STORE_DATA`, and what the cell throws
   */
  async look<T>(at: (contents: Contents, nowMs: number) => T): Promise<T | undefined> {
    const stored = await this.#cell.read();
    if (!stored) return undefined;
    const document = this.#kind.decode(stored.text, this.#cell.name);
    const record = { timeMs: this.#kind.lastMs(document), mark: stored.revision };
    this.#lookClock.observe({ ...record, isOwn: false });
    const ownMs = this.#clock.timeOf({ ...record, isOwn: document.use.by === this.#options.client });
    return at(document, Math.max(this.#lookClock.now(), ownMs));
  }

  end(): void {
    this.#ended = true;
    this.#renewal?.cancel();
    this.#renewal = undefined;
  }

  #add(operation: DocumentOperation<Request>, isOver: () => boolean): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => this.#combiner.add({ operation, isOver, resolve, reject }));
  }

  async #run(jobs: readonly Job<Request, Answer>[]): Promise<void> {
    try {
      await this.#write(jobs);
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    } finally {
      // What nobody waits for any more ends as well, for those who count the calls under way. The rest has ended.
      for (const { resolve } of jobs) resolve(undefined);
    }
  }

  async #write(all: readonly Job<Request, Answer>[]): Promise<void> {
    const { runtime, timeoutMs } = this.#options;
    const startMs = runtime.now();
    let guess = this.#guess(all);
    let [stored, limit] = await Promise.all([guess ?? this.#cell.read(), this.#readLimit(all)]);
    let lookMs = 0;
    for (let attempt = 1; ; attempt++) {
      // Whoever does not wait any more is not served: what is reserved for it would be nobody's.
      const jobs = all.filter(({ isOver }) => !isOver());
      const change = jobs.length > 0 && this.#apply(jobs, stored, limit);
      if (!change) return settle(jobs, []);
      if (!change.document) {
        if (!guess) return settle(jobs, change.answers);
        // Refused by what this client remembers: another one may have changed it.
        guess = undefined;
        [stored, limit] = await Promise.all([this.#cell.read(), this.#readLimit(jobs)]);
        continue;
      }
      guess = undefined;
      const committed = await this.#commit(change.document, stored);
      if (committed === true) return settle(jobs, change.answers);
      // For every race that is lost somebody else has won one. So the next attempt comes at once where the store has
      // said what is there now: with pauses, twenty contending processes got three quarters of the permits, and one
      // call in twenty found no end. Where that takes a request it comes at random within the time of two, or two
      // clients may fall into step, of which one always loses.
      if (lookMs >= 1) await this.#pause(2 * lookMs * runtime.random());
      const lookedMs = runtime.now();
      [stored, limit] = await Promise.all([committed(), this.#readLimit(jobs)]);
      lookMs = runtime.now() - lookedMs;
      if (runtime.now() - startMs >= timeoutMs) throw contended(this.#kind.what, attempt);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.runtime.setTimer(resolve, ms));
  }

  /**
   * What is there if nobody has written since this client did. Where others use the document, it is rather not, and a
   * failed attempt costs as much as a look.
   */
  #guess(jobs: readonly Job<Request, Answer>[]): StoredDocument | undefined {
    const written = this.#written;
    const onlyRenews = jobs.every(({ operation }) => operation.kind === "renew");
    return written && (onlyRenews || !written.isShared) ? written : undefined;
  }

  #apply(
    jobs: readonly Job<Request, Answer>[],
    stored: StoredDocument | undefined,
    limit: ReadLimit | undefined,
  ): Changed<Contents, Answer> | undefined {
    const operations = jobs.map(({ operation }) => operation);
    const { client } = this.#options;
    const context = { clock: this.#clock, client, name: this.#cell.name, limit };
    return changeDocument(this.#kind, stored, operations, context);
  }

  /** The limit record, where an operation asks for it. */
  async #readLimit(jobs: readonly Job<Request, Answer>[]): Promise<ReadLimit | undefined> {
    const asks = ({ operation }: Job<Request, Answer>): boolean =>
      operation.kind === "request" && this.#kind.isStored(operation.request);
    return jobs.some(asks) ? readLimitCell(this.#limit, this.#options.runtime) : undefined;
  }

  /** True when it is written; otherwise how to look what is there instead. */
  async #commit(
    document: TimedDocument<Contents>,
    stored: StoredDocument | undefined,
  ): Promise<true | (() => Promise<StoredDocument | undefined>)> {
    this.#written = undefined;
    const text = this.#kind.encode(document);
    const replaced = await this.#cell.replace(stored?.revision, text, this.#kind.meansForMs(document));
    if (!replaced.done) return replaced.look;
    const { revision } = replaced;
    const lastMs = this.#kind.lastMs(document);
    this.#written = { text, revision, isShared: isShared(document.use, lastMs) };
    this.#clock.recorded(lastMs, revision);
    this.#renewIn(renewInMs(document.use, lastMs, this.#kind.aheadUntilMs(document)));
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

function settle<Request, Answer>(jobs: readonly Job<Request, Answer>[], answers: readonly Outcome<Answer>[]): void {
  for (const [index, { resolve, reject }] of jobs.entries()) {
    const answer = answers[index];
    if (isRefusal(answer)) reject(answer);
    else resolve(answer);
  }
}
