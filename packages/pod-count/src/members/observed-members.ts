import { DtError, isDtError, type Runtime } from "@dt/core";
import { checkAnswer } from "./check-answer.ts";
import { type Count, Roster } from "./roster.ts";
import type { MemberAnswer, MemberSource } from "./source.ts";

/** What the observed members need to know. */
export interface ObservedMembersSettings {
  readonly source: MemberSource;
  readonly runtime: Runtime;
  /** The `settle` option, if it was given. */
  readonly settleMs: number | undefined;
  /** This member's number among those that are only counted, if it has one. */
  readonly ordinal: number | undefined;
  readonly onError: (error: DtError) => void;
  /** The fleet changed, or is in sight again. */
  readonly onChange: () => void;
}

/**
 * The fleet as this process sees it: what the source says, smoothed, and how long it may be relied on. A member is
 * *confirmed* by an answer that lists it (or, where the source only counts, by any answer), for as long as that answer
 * is fresh.
 */
export class ObservedMembers {
  readonly #settings: ObservedMembersSettings;
  readonly #roster = new Roster();
  readonly #waiting = new Set<(error?: DtError) => void>();
  #close: (() => void) | undefined;
  #closed = false;
  #staleAfterMs = 0;
  #lagMs = 0;
  #ordinal: string | undefined;
  #self: string | undefined;
  #firstAnswerMs: number | undefined;
  #answeredUntilMs = Number.NEGATIVE_INFINITY;
  #confirmedUntilMs = Number.NEGATIVE_INFINITY;
  #confirmedSinceMs: number | undefined;
  #unlisted: DtError | undefined;
  #failure: DtError | undefined;

  constructor(settings: ObservedMembersSettings) {
    this.#settings = settings;
    this.#ordinal = settings.ordinal === undefined ? undefined : String(settings.ordinal);
  }

  /** The longest time for which members may see different fleets, as the source says. */
  get lagMs(): number {
    return this.#lagMs;
  }

  /**
   * How long a name that is missing still counts, and how long a newcomer waits: by default the longest stale age that
   * a member declared (its validity is shorter) and the lag; nothing for a fleet that never changes.
   */
  get settleMs(): number {
    return this.#settings.settleMs ?? (this.#lagMs === 0 ? 0 : this.#staleAfterMs + this.#lagMs);
  }

  /** Begin of the unbroken time in which this member is confirmed; undefined before it first was. */
  get confirmedSinceMs(): number | undefined {
    return this.#confirmedSinceMs;
  }

  get confirmedUntilMs(): number {
    return this.#confirmedUntilMs;
  }

  /** Counts in a member's stale age. True when that makes the settle time longer than it was. */
  serve(staleAfterMs: number): boolean {
    const beforeMs = this.settleMs;
    this.#staleAfterMs = Math.max(this.#staleAfterMs, staleAfterMs);
    return this.settleMs > beforeMs;
  }

  /** Begins to observe, if that has not begun. Resolves when the source has answered, rejects with why it has not. */
  ready(): Promise<void> {
    if (!this.#closed) this.#close ??= this.#open();
    if (this.#firstAnswerMs !== undefined) return Promise.resolve();
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.add((error) => (error ? reject(error) : resolve()));
    });
  }

  /** The fleet that counts now. Never empty: this process is there, whatever the source says. */
  count(nowMs: number): Count {
    const self = this.#self ?? this.#ordinal;
    const count = this.#roster.count(nowMs, this.settleMs, self);
    const missed = this.#self !== undefined && count.rank === undefined;
    return { ...count, memberCount: Math.max(1, count.memberCount + (missed ? 1 : 0)) };
  }

  /**
   * Why the fleet cannot be relied on now, if that is so. A member that was never listed yet has the settle time to
   * appear: it is starting.
   */
  problem(nowMs: number): DtError | undefined {
    if (nowMs < this.#confirmedUntilMs) return undefined;
    const { source } = this.#settings;
    if (nowMs >= this.#answeredUntilMs) {
      const why = this.#failure ? `: ${this.#failure.message}` : "";
      return new DtError(
        this.#failure?.code ?? "DT_STORE_UNAVAILABLE",
        `the fleet is out of sight, ${source.name} has not answered in time${why}`,
        {
          cause: this.#failure,
        },
      );
    }
    const starting = this.#confirmedSinceMs === undefined && nowMs < (this.#firstAnswerMs as number) + this.settleMs;
    return starting ? undefined : this.#unlisted;
  }

  /** Ends the source and fails those who wait for its first answer. */
  close(error: DtError): void {
    this.#closed = true;
    this.#close?.();
    this.#failure = error;
    this.#settle(error);
  }

  #open(): () => void {
    const { source, runtime } = this.#settings;
    try {
      return source.open({
        runtime: inBackground(runtime),
        observed: (answer) => this.#observed(answer),
        failed: (error) => this.#failed(error),
      });
    } catch (cause) {
      throw new DtError("DT_STORE_UNAVAILABLE", `${source.name} could not be opened: ${String(cause)}`, { cause });
    }
  }

  #observed(answer: MemberAnswer): void {
    if (this.#closed) return;
    const { source, runtime, onChange } = this.#settings;
    const nowMs = runtime.now();
    let checked: ReturnType<typeof checkAnswer>;
    try {
      checked = checkAnswer(source.name, answer);
    } catch (error) {
      this.#failed(isDtError(error) ? error : new DtError("DT_STORE_REPLY", String(error)));
      return;
    }
    this.#failure = undefined;
    this.#firstAnswerMs ??= nowMs;
    this.#lagMs = Math.max(this.#lagMs, answer.lagMs);
    this.#answeredUntilMs = nowMs + answer.freshForMs;
    let news = this.#roster.observe(checked.names, nowMs, this.settleMs);
    if (checked.counted || checked.self !== undefined) {
      if (nowMs >= this.#confirmedUntilMs) {
        this.#confirmedSinceMs = nowMs;
        news = true;
      }
      this.#confirmedUntilMs = this.#answeredUntilMs;
      this.#self = checked.self;
      this.#unlisted = undefined;
    } else this.#missesSelf(checked.names.size, answer.remedy);
    this.#settle();
    if (news) onChange();
  }

  #missesSelf(listed: number, remedy = "make the source list every member"): void {
    const first = this.#unlisted === undefined;
    const { source, onError } = this.#settings;
    this.#unlisted = new DtError(
      "DT_STORE_UNAVAILABLE",
      `${source.name} lists ${listed === 0 ? "no member" : `${listed} and not this member`}, so no member leaves it a share; ${remedy}`,
    );
    if (first) onError(this.#unlisted);
  }

  #failed(error: DtError): void {
    if (this.#closed) return;
    this.#failure = error;
    if (this.#firstAnswerMs === undefined) this.#settle(error);
    this.#settings.onError(error);
  }

  #settle(error?: DtError): void {
    for (const done of this.#waiting) done(error);
    this.#waiting.clear();
  }
}

/** The same runtime, but no timer keeps the process running. */
function inBackground(runtime: Runtime): Runtime {
  return {
    now: () => runtime.now(),
    setTimer: (callback, delayMs) => runtime.setTimer(callback, delayMs, { keepAlive: false }),
    random: () => runtime.random(),
  };
}
