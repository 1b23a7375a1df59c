import { type DtError, isDtError, type Semaphore, type Slot as SlotOfFleet } from "@dt/core";
import { FleetSlot, type Taken, whenAborted } from "@dt/core/internal";
import type { Slot } from "../limit/slot.ts";
import type { Call } from "../outcome/call.ts";
import { type AdaptiveThrottle, refusedError } from "../throttle/adaptive-throttle.ts";
import { limitedError, timeoutError } from "./guard-errors.ts";
import type { GuardSettings, Want } from "./guard-options.ts";
import { Passage, type PassageHome } from "./passage.ts";
import type { Pause } from "./pause.ts";
import { enterNow, type Tokens, type TokenWait, tokensOf } from "./tokens.ts";

/** The reason for which the calls that wait are called back when a pause begins. */
const PAUSED = Symbol("paused");

/** The time that a call has left, in milliseconds; undefined where it has no end. */
type Rest = () => number | undefined;

/** How one call passes the parts. */
interface Manner {
  readonly restMs: Rest;
  /** Takes the tokens of one kind. */
  take(tokens: Tokens, wait: Omit<TokenWait, "timeout">): Promise<Taken>;
  /** Takes a slot of the fleet. */
  enter(semaphore: Semaphore, wait: Omit<TokenWait, "timeout">): Promise<SlotOfFleet>;
  /** The error of a call for which a part had nothing in time. */
  late(error: DtError): DtError;
}

/** The way of one call through everything that a guard is made of: all of it, or nothing. */
export class Door {
  readonly #settings: GuardSettings;
  readonly #pause: Pause;
  readonly #home: PassageHome;
  readonly #tokens: readonly Tokens[];
  /** Calls back the calls that wait for a slot, a permit or tokens, in the order in which they came. */
  readonly #underWay = new Set<AbortController>();
  #stopped: DtError | undefined;

  constructor(settings: GuardSettings, pause: Pause, home: PassageHome) {
    this.#settings = settings;
    this.#pause = pause;
    this.#home = home;
    this.#tokens = tokensOf(settings.runtime, settings.pacer, settings.throttle);
  }

  /** Waits for the end of a pause, then for everything else; from the beginning where another pause begins. */
  async wait(want: Want, restMs: Rest): Promise<Passage> {
    const { signal, priority, timeoutMs } = want;
    const manner: Manner = {
      restMs,
      take: (tokens, wait) => tokens.take({ ...wait, timeout: restMs() }),
      enter: (semaphore, { cost, ...wait }) => semaphore.acquire(cost, { ...wait, timeout: restMs() }),
      // A part knows only the rest of the call's time.
      late: (error) =>
        timeoutMs === undefined ? error : timeoutError(this.#settings.name, timeoutMs, this.#pause.restMs, error),
    };
    for (;;) {
      while (this.#pause.restMs > 0)
        await this.#pause.end({ timeoutMs: restMs(), signal, priority }).catch((error: unknown) => {
          throw isDtError(error, "DT_TIMEOUT") ? manner.late(error) : error;
        });
      const passage = await this.#unlessPaused(this.#through(want, manner));
      if (passage !== PAUSED) return passage;
    }
  }

  /**
   * Does not wait, except for an answer of the pacer's store, and for a start where `starts` is true. Rejects with
   * `DT_LIMITED` where anything is missing.
   */
  async now(want: Want, starts: boolean): Promise<Passage> {
    const { name, runtime } = this.#settings;
    const manner: Manner = {
      restMs: () => 0,
      take: (tokens, wait) => tokens.takeNow({ ...wait, timeout: want.timeoutMs }, starts),
      enter: (semaphore, wait) => enterNow(runtime, semaphore, { ...wait, timeout: want.timeoutMs }, starts),
      // A limit whose slot is not waited for reports that none was free in time.
      late: (error) => limitedError(name, 0, error),
    };
    if (this.#pause.restMs === 0) {
      const passage = await this.#unlessPaused(this.#through(want, manner));
      if (passage !== PAUSED) return passage;
    }
    throw limitedError(name, this.#pause.restMs);
  }

  /** A pause begins: calls that wait for anything else come back, and wait for its end. */
  callBack(): void {
    for (const controller of this.#underWay) controller.abort(PAUSED);
  }

  /** No call goes through any more; those that wait get this error. */
  stop(error: DtError): void {
    this.#stopped = error;
    for (const controller of this.#underWay) controller.abort(error);
  }

  async #unlessPaused(passage: Promise<Passage>): Promise<Passage | typeof PAUSED> {
    try {
      return await passage;
    } catch (error) {
      if (error === PAUSED) return PAUSED;
      throw error;
    }
  }

  /** Through everything behind the pause. What was taken goes back where a later part refuses. */
  async #through(want: Want, { restMs, take, enter, late }: Manner): Promise<Passage> {
    const { cost, priority } = want;
    const { limit, semaphore, runtime } = this.#settings;
    if (this.#stopped) throw this.#stopped;
    const call = want.rejection && admittedBy(want.rejection);
    const tokens = this.#tokens;
    // Where nothing is waited for, no call has to be called back: that would cost more than all the rest.
    if (limit === undefined && semaphore === undefined && tokens.length === 0)
      return this.#open(cost, call, undefined, undefined);
    const controller = new AbortController();
    const { signal } = controller;
    const stopListening = want.signal && whenAborted(want.signal, () => controller.abort(want.signal?.reason));
    this.#underWay.add(controller);
    const takeAll = async (into: Taken[], priority: number): Promise<void> => {
      for (const one of tokens) into.push(await take(one, { cost, priority, signal }));
    };
    const fleet =
      semaphore &&
      new FleetSlot(runtime, {
        priority,
        enter: (priority) => enter(semaphore, { cost, priority, signal }),
        take: takeAll,
      });
    const taken: Taken[] = [];
    let slot: Slot | undefined;
    let passage: Passage | undefined;
    try {
      const held = fleet !== undefined || tokens.length > 0;
      if (limit) slot = await limit.acquire(cost, { priority, timeout: restMs(), signal, held });
      const slotOfFleet = await fleet?.take();
      if (fleet === undefined) await takeAll(taken, priority);
      // Something may have come between the last answer and now.
      if (signal.aborted) throw signal.reason;
      slot?.begin();
      passage = this.#open(cost, call, slot, slotOfFleet);
      return passage;
    } catch (error) {
      throw isDtError(error, "DT_TIMEOUT") ? late(error) : error;
    } finally {
      this.#underWay.delete(controller);
      stopListening?.();
      if (passage === undefined) {
        call?.ignored();
        slot?.ignored();
        fleet?.giveBack();
        for (const one of taken) one.giveBack();
      }
    }
  }

  #open(cost: number, call: Call | undefined, slot: Slot | undefined, slotOfFleet: SlotOfFleet | undefined): Passage {
    this.#home.entered();
    return new Passage(this.#home, cost, this.#settings.runtime.now(), { call, slot, slotOfFleet });
  }
}

/** @throws DtError `DT_LIMITED` with the probability */
function admittedBy(rejection: AdaptiveThrottle): Call {
  const { probability } = rejection.status();
  const call = rejection.tryAcquire();
  if (call === undefined) throw refusedError(probability);
  return call;
}
