import type { Membership } from "../consensus/membership.ts";
import { DtError } from "../errors/dt-error.ts";
import type { Events } from "../kit/events.ts";
import { whenAborted } from "../options/when-aborted.ts";
import { Fifo } from "../queue/fifo.ts";
import type { Timer } from "../runtime/runtime.ts";
import type { Allowance } from "./allowance.ts";
import { acquireTimeout } from "./errors.ts";
import type { ThrottleEvents } from "./events.ts";
import type { ThrottleSettings } from "./settings.ts";

/** A caller waiting for tokens. */
interface Waiter {
  /** Most tokens it still wants. */
  wants: number;
  /** True when it goes only with all it wants. */
  readonly whole: boolean;
  grant(tokens: number): void;
  fail(error: unknown): void;
}

/** How somebody waits. */
export interface Wait<T> {
  /** Most tokens wanted. */
  readonly n: number;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Makes the answer of tokens as they are granted, or of 0 when `timeoutMs` has passed. */
  answer(tokens: number): T;
  /** Where all `n` are wanted: told of a part that is granted; the head of the line then waits on for the rest. */
  readonly part?: (tokens: number) => void;
}

/** Callers waiting for tokens, served in the order they came, and the one timer that wakes them when the next token is due. */
export class WaitingLine {
  readonly #settings: ThrottleSettings;
  readonly #allowance: Allowance;
  readonly #membership: Membership;
  readonly #events: Events<ThrottleEvents>;
  readonly #waiters = new Fifo<Waiter>();
  /** Told when the last waiter has left. */
  onEmpty: () => void = () => undefined;
  #wake: Timer | undefined;
  #recovering: Promise<void> | undefined;

  constructor(
    settings: ThrottleSettings,
    allowance: Allowance,
    membership: Membership,
    events: Events<ThrottleEvents>,
  ) {
    this.#settings = settings;
    this.#allowance = allowance;
    this.#membership = membership;
    this.#events = events;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Joins the line. Settles as documented at `Throttle.acquire`, with the answer. */
  join<T>({ n, timeoutMs, signal, answer, part }: Wait<T>): Promise<T> {
    const { runtime, maxWaiters, acquireTimeoutMs, group } = this.#settings;
    if (this.#waiters.size >= maxWaiters)
      throw new DtError(
        "DT_QUEUE_FULL",
        `maxWaiters is ${maxWaiters} and as many callers wait already; ask for less at once, or raise it`,
      );
    return new Promise<T>((resolve, reject) => {
      const settle = (): void => {
        this.#waiters.remove(waiter);
        timer.cancel();
        stopListening?.();
        if (this.#waiters.size === 0) this.onEmpty();
      };
      const fail = (error: unknown): void => {
        settle();
        reject(error);
      };
      const grant = (tokens: number): void => {
        part?.(tokens);
        waiter.wants -= tokens;
        if (waiter.whole && waiter.wants > 0 && tokens > 0) return;
        settle();
        resolve(answer(tokens));
      };
      const onAbort = (): void => fail((signal as AbortSignal).reason);
      const onTimeout = (): void =>
        timeoutMs === undefined ? fail(acquireTimeout(group, "acquireTimeout", acquireTimeoutMs)) : grant(0);
      const waiter: Waiter = { wants: n, whole: part !== undefined, grant, fail };
      this.#waiters.push(waiter);
      const timer = runtime.setTimer(onTimeout, timeoutMs ?? acquireTimeoutMs);
      const stopListening = signal && whenAborted(signal, onAbort);
      this.serve();
    });
  }

  /** Serves those who wait as far as tokens go, and arms the timer for the next token. */
  serve(): void {
    this.#wake?.cancel();
    this.#wake = undefined;
    const { runtime } = this.#settings;
    const allowance = this.#allowance;
    while (this.#waiters.size > 0 && allowance.open) {
      const nowMs = runtime.now();
      if (nowMs >= allowance.untilMs) allowance.refresh(nowMs, true);
      // A listener that refresh told of a new share may have served the first one.
      const waiter = this.#waiters.first;
      if (!waiter) return;
      const granted = allowance.budget.take(waiter.wants, nowMs);
      if (granted === 0) {
        this.#sleep(nowMs);
        return;
      }
      // Out of the line, or served its part, before listeners hear of it: one that asks for tokens comes back here.
      waiter.grant(granted);
      if (this.#events.has("grant")) this.#events.emit("grant", { epoch: allowance.epoch, tokens: granted });
    }
  }

  /** Refuses everybody who waits. */
  failAll(error: unknown): void {
    this.#wake?.cancel();
    this.#wake = undefined;
    for (const waiter of this.#waiters.drain()) waiter.fail(error);
  }

  #sleep(nowMs: number): void {
    const { runtime } = this.#settings;
    if (!this.#allowance.valid(nowMs)) this.#recover();
    const atMs = Math.min(this.#allowance.budget.nextAt(nowMs), this.#allowance.untilMs);
    this.#wake?.cancel();
    this.#wake = runtime.setTimer(() => this.serve(), Math.max(0, atMs - nowMs));
  }

  /** Somebody waits and the share is not valid: ask the store now. If that does not help and the policy grants nothing, nobody is left hanging. */
  #recover(): void {
    this.#recovering ??= this.#membership
      .syncNow()
      .then(() => {
        const { clock } = this.#membership;
        if (!this.#allowance.valid(this.#settings.runtime.now()) && !clock.known)
          this.#giveUp(tooSlow(this.#settings.clockErrorMs));
      })
      .catch((error: unknown) => this.#giveUp(error))
      .finally(() => {
        this.#recovering = undefined;
      });
  }

  /** Refuses everybody, unless the policy grants something now or once the ramp is up. */
  #giveUp(error: unknown): void {
    const nowMs = this.#settings.runtime.now();
    if (this.#allowance.shareAt(nowMs, this.#allowance.highestLevel).tokens === 0) this.failAll(error);
  }
}

function tooSlow(clockErrorMs: number): DtError {
  return new DtError(
    "DT_STORE_SLOW",
    `no round trip to the store was shorter than clockError (${clockErrorMs} ms), so its clock is not known well enough; raise clockError or use a nearer store`,
  );
}
