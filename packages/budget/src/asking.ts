import { isDtError, type Semaphore, type Slot } from "@dt/core";
import { FleetSlot, type Taken } from "@dt/core/internal";
import type { BudgetCall } from "./acquire-options.ts";
import type { BudgetClient } from "./budget-client.ts";
import type { BudgetQueue } from "./budget-queue.ts";
import type { BudgetTally } from "./call-counts.ts";
import { type Cost, unitsOf } from "./cost.ts";
import { limited, limitName, notInTime } from "./errors.ts";
import type { Estimates } from "./estimates.ts";
import { type BudgetWait, type Granted, type NotNow, reservationOf } from "./open-reservation.ts";
import type { BudgetSettings } from "./options.ts";

/** What limits a call where it waits for a slot. */
const CONCURRENT = "concurrent";

/** What a call was granted: its reservation, and its slot where there are slots. */
export interface Admitted {
  readonly granted: Granted;
  readonly units: readonly number[];
  readonly slot: Slot | undefined;
  /** With `enforce: false`: all slots are in use. */
  readonly isFull?: boolean;
}

/** What one call wants. */
interface BudgetWant {
  readonly call: BudgetCall;
  readonly units: readonly number[];
  readonly tier: number;
}

/** The two ways to what a call costs: waiting, and at once. */
export class Asking {
  readonly #settings: BudgetSettings;
  readonly #queue: BudgetQueue;
  readonly #client: BudgetClient;
  readonly #estimates: Estimates;
  readonly #semaphore: Semaphore | undefined;
  readonly #tally: BudgetTally;

  constructor(
    settings: BudgetSettings,
    queue: BudgetQueue,
    client: BudgetClient,
    estimates: Estimates,
    semaphore: Semaphore | undefined,
    tally: BudgetTally,
  ) {
    this.#settings = settings;
    this.#queue = queue;
    this.#client = client;
    this.#estimates = estimates;
    this.#semaphore = semaphore;
    this.#tally = tally;
  }

  /** @throws DtError `DT_INVALID_COST` */
  want(cost: Cost | undefined, call: BudgetCall): BudgetWant {
    const { limits, keeps, tierOf, enforce, stored } = this.#settings;
    const tier = tierOf(call.priority);
    return {
      call,
      tier,
      units: unitsOf(cost, limits, { keep: keeps[tier] as number, enforce, stored }, call.learner, this.#estimates),
    };
  }

  /** Waits for the slot and for the reservation. */
  async wait(want: BudgetWant): Promise<Admitted> {
    const { runtime, acquireTimeoutMs, enforce } = this.#settings;
    if (!enforce) return this.#count(want);
    const { call, units } = want;
    const semaphore = this.#semaphore;
    if (semaphore === undefined) return { units, slot: undefined, granted: await this.#queue.join(this.#waitOf(want)) };
    const timeoutMs = call.timeoutMs ?? acquireTimeoutMs;
    const untilMs = timeoutMs === undefined ? undefined : runtime.now() + timeoutMs;
    const restMs = (): number | undefined => untilMs && Math.max(0, untilMs - runtime.now());
    let granted: Granted | undefined;
    const fleet = new FleetSlot(runtime, {
      priority: call.priority,
      enter: (priority) => this.#enter(semaphore, priority, call, restMs(), timeoutMs),
      take: async (into: Taken[], priority) => {
        const next = await this.#queue.join({ ...this.#waitOf(want), priority, timeoutMs: restMs() });
        granted = next;
        into.push(this.#taken(next));
      },
    });
    try {
      const slot = await fleet.take();
      return { units, slot, granted: granted as Granted };
    } catch (error) {
      fleet.giveBack();
      throw error;
    }
  }

  /** Asks once, without waiting for anything but the answer of the store. */
  async now(want: BudgetWant): Promise<Admitted | NotNow> {
    if (!this.#settings.enforce) return this.#count(want);
    const slot = this.#semaphore?.tryAcquire();
    if (this.#semaphore && slot === undefined) {
      this.#tally.lackedSlot();
      return { retryAfterMs: 0, limitedBy: CONCURRENT };
    }
    try {
      const granted = await this.#queue.attempt(this.#waitOf(want));
      if ("reserved" in granted) return { units: want.units, slot, granted };
      slot?.release();
      return granted;
    } catch (error) {
      slot?.release();
      throw error;
    }
  }

  /** The `DT_LIMITED` of a call that does not wait. */
  limited({ retryAfterMs, limitedBy }: NotNow): Error {
    return limited(this.#settings, retryAfterMs, limitedBy);
  }

  /** Nothing holds up a call that is only counted: no limit, no slot in use, and no store that is away. */
  async #count(want: BudgetWant): Promise<Admitted> {
    const { units, call } = want;
    const slot = this.#semaphore?.tryAcquire();
    const isFull = slot === undefined && this.#semaphore?.status().state === "running";
    const reservation = reservationOf(this.#settings, want, 0);
    const counted = { id: reservation.id, reserved: units, lateMs: 0, limitedBy: undefined, waitMs: 0 };
    try {
      const { limitedBy, waitMs } = (await this.#client.reserve(reservation)).answer;
      this.#queue.limitedBy = limitedBy;
      call.signal?.throwIfAborted();
      return { units, slot, isFull, granted: { ...counted, limitedBy, waitMs } };
    } catch (error) {
      // The event `storeError` reports it.
      if (isStoreError(error) && !call.signal?.aborted) return { units, slot, isFull, granted: counted };
      slot?.release();
      this.#client.settle({ id: reservation.id, costs: units.map(() => 0), measured: false });
      throw error;
    }
  }

  #waitOf({ call, units, tier }: BudgetWant): Omit<BudgetWait, "cost" | "deadlineMs"> {
    const { timeoutMs, signal, priority, learner } = call;
    return { timeoutMs, signal, priority, key: learner.key, units, tier };
  }

  async #enter(
    semaphore: Semaphore,
    priority: number,
    { signal }: BudgetCall,
    timeout: number | undefined,
    timeoutMs: number | undefined,
  ): Promise<Slot> {
    const { runtime } = this.#settings;
    const sinceMs = runtime.now();
    try {
      return await semaphore.acquire(1, { priority, signal, timeout }).finally(() => {
        if (runtime.now() > sinceMs || timeout === 0) this.#tally.lackedSlot();
      });
    } catch (error) {
      // The semaphore knows only the rest of the call's time.
      if (isDtError(error, "DT_TIMEOUT")) throw notInTime(this.#settings, timeoutMs, error.retryAfterMs, CONCURRENT);
      throw error;
    }
  }

  #taken({ id }: Granted): Taken {
    const { runtime, latenessMs, limits } = this.#settings;
    const untilMs = runtime.now() + latenessMs;
    return {
      isFresh: () => runtime.now() <= untilMs,
      giveBack: () => this.#client.settle({ id, costs: limits.map(() => 0), measured: false }),
    };
  }
}

/** True where a call was not granted at once. */
export function isNotNow(answer: Admitted | NotNow): answer is NotNow {
  return "retryAfterMs" in answer;
}

/** Which limit made a call wait, by its name. */
export function limitedByOf(settings: BudgetSettings, { granted, isFull }: Admitted): string | undefined {
  return limitName(settings, granted.limitedBy) ?? (isFull ? CONCURRENT : undefined);
}

function isStoreError(error: unknown): boolean {
  return isDtError(error) && error.code.startsWith("DT_STORE_");
}
