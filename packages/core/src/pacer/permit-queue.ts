import type { Events } from "../internal/events.ts";
import type { CallResult, Tally } from "../internal/tally.ts";
import type { WaitingQueue } from "../internal/waiting-queue.ts";
import { SleepWatch } from "../runtime/sleep-watch.ts";
import { BackOff } from "./back-off.ts";
import { reservesAheadOfDemand } from "./block-size.ts";
import type { Caller, CostQueue, PermitWait } from "./cost-queue.ts";
import { CostQueues } from "./cost-queues.ts";
import type { HeldInstant } from "./held-instants.ts";
import { HintListener } from "./hint-listener.ts";
import { LONGEST_WAIT_MS, OpenRequest } from "./open-request.ts";
import type { PacerEvents } from "./pacer-events.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { Permit } from "./permit.ts";
import type { PermitClient } from "./permit-client.ts";
import { STOLEN } from "./stealing.ts";
import { waitingCallers } from "./waiting-callers.ts";

/**
 * The callers of one pacer: those without an instant yet, in the order of a waiting queue, and those with one, in a
 * queue for each cost. One request is under way at a time.
 */
export class PermitQueue {
  /** Permits that were wasted. */
  wasted = 0;
  /** Callers that went out with a permit. */
  #served = 0;
  readonly #settings: PacerSettings;
  readonly #client: PermitClient;
  readonly #events: Events<PacerEvents>;
  readonly #tally: Tally;
  readonly #queue: WaitingQueue<Permit, PermitWait>;
  readonly #byCost: CostQueues;
  readonly #request: OpenRequest;
  #fetching: Promise<void> | undefined;
  readonly #backOff: BackOff;
  readonly #sleep: SleepWatch;
  readonly #hints: HintListener;
  #tidying = false;
  #closed = false;
  /** Counts the paces, and what the last one left to be given back first. */
  #pace = 0;
  #renewal: Promise<void> | undefined;
  /** Local time at which the limit last kept callers waiting: all who were there then have waited for it. */
  #heldUpMs = Number.NEGATIVE_INFINITY;

  constructor(settings: PacerSettings, client: PermitClient, events: Events<PacerEvents>, tally: Tally) {
    const { runtime } = settings;
    this.#settings = settings;
    this.#client = client;
    this.#events = events;
    this.#tally = tally;
    this.#queue = waitingCallers(settings, events, {
      dueInMs: (want) => this.#dueInMs(want),
      wasted: () => this.wasted,
      decided: (result, want, waitedMs) => this.#decided(result, want, waitedMs),
    });
    this.#queue.onGiveUp = (caller) => this.#leave(caller);
    this.#byCost = new CostQueues(runtime, () => this.#serve());
    this.#backOff = new BackOff(runtime, () => this.#fetch());
    this.#sleep = new SleepWatch(runtime);
    this.#hints = new HintListener(client, () => this.#backOff.hint());
    this.#request = new OpenRequest(settings, client);
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Told when nobody waits any more. */
  set onEmpty(listener: () => void) {
    this.#queue.onEmpty = listener;
  }

  /** True while callers wait to ask the store again, as it told them a moment ago. */
  get isTold(): boolean {
    return this.#backOff.waiting;
  }

  /** True while callers wait for the limit: for an instant to come, or to ask again as the store told them. */
  get isHeldUp(): boolean {
    if (this.#backOff.waiting && this.#queue.queued > 0) return true;
    for (const { waiting } of this.#byCost) if (waiting > 0) return true;
    return false;
  }

  /** About when the callers that wait will have been served, in milliseconds from now. */
  get leastWaitMs(): number {
    const { runtime, everyMs } = this.#settings;
    const nowMs = runtime.now();
    const served = [...this.#byCost].map(({ lastMs, cost }) => lastMs + cost * everyMs);
    const leastMs = Math.max(this.#client.pausedForMs, this.#backOff.leftMs ?? 0);
    return Math.max(...served, nowMs + leastMs) - nowMs + this.#queue.cost * everyMs;
  }

  /** A caller comes: an instant that is there for it already, or the queue. Settles as `Pacer.acquire` does. */
  join(wait: Omit<PermitWait, "deadlineMs" | "wastedBefore">): Promise<Permit> {
    const { runtime, acquireTimeoutMs } = this.#settings;
    const deadlineMs = runtime.now() + (wait.timeoutMs ?? acquireTimeoutMs ?? Number.POSITIVE_INFINITY);
    const joined = this.#queue.join({ ...wait, deadlineMs, wastedBefore: this.wasted });
    if (this.#byCost.of(wait.cost)?.dueFor(wait.priority ?? 0) !== undefined) this.#fill(wait.cost);
    this.#serve();
    return joined;
  }

  /**
   * No instant before the end of the pause may be used: those are dropped, and the store is not told, since no other
   * process may use them either. Callers that had one wait again, unless their time ends before the pause does.
   */
  pause(): void {
    const untilMs = this.#client.pausedUntilMs;
    for (const caller of this.#byCost.drain()) this.#queue.putBack(caller);
    for (const queue of this.#byCost) queue.dropBefore(untilMs);
    this.#expire();
    this.#tidy();
    // The store hears of it at once: with a request for those in the queue, or with one of its own.
    if (this.#fetching || this.#queue.queued === 0) this.#client.sayPause();
    else this.#backOff.cancel();
    this.#fetch();
  }

  /**
   * Another pace. Instants of the one before go back, and then the callers that had them ask anew: otherwise they would
   * come behind those.
   */
  renew(): void {
    this.#pace += 1;
    for (const caller of this.#byCost.drain()) this.#queue.putBack(caller);
    for (const queue of this.#byCost) this.#giveBack(queue);
    this.#backOff.cancel();
    if (!this.#fetching) this.#giveUpRequest();
    this.#renewal = this.#client.released();
    this.#fetch();
  }

  /** Callers without an instant whose time ends before a pause does: they need not wait for that. */
  #expire(): void {
    const { pausedUntilMs, pausedForMs } = this.#client;
    if (pausedForMs === 0) return;
    for (const caller of this.#queue.inOrder) if (caller.want.deadlineMs < pausedUntilMs) caller.expire(pausedForMs);
  }

  /**
   * A caller has given up: those behind it move up, and what is left over goes back to the store, once for all who give
   * up in one go.
   */
  #leave(caller: Caller): void {
    this.#byCost.of(caller.cost)?.remove(caller);
    if (this.#tidying) return;
    this.#tidying = true;
    queueMicrotask(() => {
      this.#tidying = false;
      this.#tidy();
    });
  }

  /** Refuses everybody and gives everything back; resolves when what was under way has been given back too. */
  async close(error: unknown): Promise<void> {
    this.#closed = true;
    this.#backOff.cancel();
    this.#byCost.disarm();
    this.#queue.failAll(error);
    for (const queue of this.#byCost) {
      for (const caller of queue.drain()) caller.fail(error);
      this.#giveBack(queue);
    }
    if (!this.#fetching) this.#giveUpRequest();
    await this.#fetching;
    await this.#hints.end();
  }

  /**
   * Callers of one cost get the instants of that cost: those that are spare, and those of callers of lower priority.
   * Also behind a caller of another cost, which cannot use them.
   */
  #fill(cost: number): void {
    const queue = this.#byCost.of(cost);
    for (let next = this.#queue.firstOf(cost); queue && next; next = this.#queue.firstOf(cost)) {
      const dueMs = queue.dueFor(next.priority);
      if (dueMs === undefined) return;
      this.#queue.take(next);
      if (dueMs > next.want.deadlineMs) next.expire(dueMs - this.#settings.runtime.now());
      else queue.admit(next);
      const overtaken = queue.takeUnserved();
      if (overtaken) this.#queue.putBack(overtaken);
    }
  }

  #fillAll(): void {
    for (const { cost, spare } of this.#byCost) if (spare > 0) this.#fill(cost);
  }

  /** When the caller that wants this is due, or the first of the queue can be, in milliseconds from now. */
  #dueInMs(want: PermitWait): number | undefined {
    const dueMs = this.#byCost.of(want.cost)?.dueOf(want);
    return dueMs === undefined ? this.#backOff.leftMs : dueMs - this.#settings.runtime.now();
  }

  /** Spare instants go to those who wait for one, or back to the store. */
  #tidy(): void {
    if (this.#closed) return;
    this.#fillAll();
    for (const queue of this.#byCost) this.#giveBack(queue);
    if (this.#queue.queued === 0 && !this.#fetching) this.#giveUpRequest();
    this.#byCost.arm();
  }

  #giveBack(queue: CostQueue): void {
    for (const [id, keep] of queue.dropSpare()) this.#client.release(id, keep);
  }

  #giveUpRequest(): void {
    this.#backOff.cancel();
    this.#request.giveUp();
  }

  /** Reserves for those in the queue, one round trip at a time. */
  #fetch(): void {
    if (this.#fetching || this.#backOff.waiting || this.#closed || this.#queue.queued === 0) return;
    this.#fetching = this.#fetchAll();
  }

  async #fetchAll(): Promise<void> {
    try {
      for (let head = this.#queue.first; head && !this.#closed; head = this.#queue.first)
        if (!(await this.#fetchFor(head))) return;
    } catch (error) {
      // An outage concerns everybody in the queue. Whether the request took effect, or is queued at the store, is
      // unknown: it is given back.
      this.#queue.failAll(error);
      this.#giveUpRequest();
    } finally {
      this.#fetching = undefined;
      // A hint may have come between the refusal and here.
      this.#fetch();
    }
  }

  /** One round trip for the caller at the head and those like it behind; false when it was refused for now. */
  async #fetchFor(head: Caller): Promise<boolean> {
    // A request goes on while a caller of its cost waits, whoever is first: a new one would be the last at the store.
    const { cost = head.cost } = this.#request;
    if (cost !== head.cost && !this.#queue.firstOf(cost)) this.#giveUpRequest();
    if (this.#renewal) await this.#renewed();
    const [sleeps, pace] = [this.#sleep.count, this.#pace];
    const timed = await this.#request.send(head.cost, { queued: this.#queue.queued, granted: this.#served });
    const { reservation } = timed;
    this.#noticeSleep();
    this.#expire();
    // Nobody knows when the answer was given: it goes back, and who waits asks again.
    if (this.#sleep.count !== sleeps && reservation.granted > 0) {
      this.#giveUpRequest();
      return true;
    }
    if (this.#pace !== pace && !this.#closed) {
      this.#giveUpRequest();
      this.#renewal = this.#client.released();
      return true;
    }
    if (this.#closed || (reservation.granted === 0 && this.#queue.queued === 0)) {
      this.#giveUpRequest();
      return false;
    }
    if (reservation.granted === 0) {
      this.#comeBack(this.#request.comeBackIn(reservation));
      return false;
    }
    const asked = this.#request.cost as number;
    const instants = this.#request.end(timed);
    this.#hold(asked, instants);
    if (instants.length > 0 || this.#queue.queued === 0) return true;
    // All of them lie before the end of a pause, which the ledger did not know of.
    this.#comeBack(Math.min(LONGEST_WAIT_MS, this.#client.pausedForMs));
    return false;
  }

  async #renewed(): Promise<void> {
    while (this.#renewal) {
      const renewal = this.#renewal;
      await renewal;
      if (this.#renewal === renewal) this.#renewal = undefined;
    }
  }

  /** Instants were reserved for callers of one cost. */
  #hold(cost: number, instants: readonly HeldInstant[]): void {
    this.#byCost.add(cost, instants);
    this.#fill(cost);
    // At high rates what is spare is for those who come next. Otherwise those who asked have left meanwhile.
    if (cost !== 1 || !reservesAheadOfDemand(this.#settings)) this.#tidy();
    this.#serve();
  }

  /** Refused: come back when a permit is due, or when another process gives one back. */
  #comeBack(retryAfterMs: number): void {
    this.#backOff.wait(retryAfterMs);
    if (this.#events.has("refused")) this.#events.emit("refused", { retryAfterMs, waiting: this.waiting });
    this.#hints.listen();
    this.#noteHeldUp();
  }

  /**
   * Looked at before permits are used. On a machine that was suspended the local clock stood still: how late the
   * instants in hand are nobody knows. They go back, for others to use those that are still to come, and whoever waited
   * for them asks again.
   */
  #noticeSleep(): void {
    if (!this.#sleep.noticed()) return;
    for (const caller of this.#byCost.drain()) this.#queue.putBack(caller);
    for (const queue of this.#byCost) this.#giveBack(queue);
    this.#backOff.cancel();
  }

  /**
   * Instants have come: they go to callers in the order these came. One past its life is wasted, and the last caller
   * without an instant queues again.
   */
  #serve(): void {
    const { runtime } = this.#settings;
    let unwanted = false;
    // Callers have just left, and what they leave was not given to others yet.
    if (this.#tidying) this.#fillAll();
    if ((this.#byCost.earliest?.nextMs ?? Number.POSITIVE_INFINITY) <= runtime.now()) this.#noticeSleep();
    for (let queue = this.#byCost.earliest; queue && queue.nextMs <= runtime.now(); queue = this.#byCost.earliest) {
      const nowMs = runtime.now();
      const { instant, caller } = queue.take(nowMs);
      if (caller) {
        this.#served += 1;
        const lateMs = nowMs - instant.dueMs;
        caller.answer({ lateMs });
        if (this.#events.has("grant"))
          this.#events.emit("grant", { cost: caller.cost, lateMs, waitedMs: caller.waitedMs });
        continue;
      }
      this.wasted += 1;
      if (this.#events.has("wasted")) this.#events.emit("wasted", { lateMs: nowMs - instant.dueMs });
      unwanted ||= nowMs <= instant.expiresMs;
      const unserved = queue.takeUnserved();
      if (unserved) this.#queue.putBack(unserved);
    }
    // Nobody came for an instant: the demand that the block was made for is over.
    if (unwanted) this.#tidy();
    this.#byCost.arm();
    this.#noteHeldUp();
    this.#fetch();
  }

  /** Callers wait for the limit, and not only for the store's answer. */
  #noteHeldUp(): void {
    if (!this.isHeldUp) return;
    this.#heldUpMs = this.#settings.runtime.now();
    this.#tally.limited(this.#heldUpMs);
  }

  /** A caller has come out: it has waited for the limit where callers were held up while it was here. */
  #decided(result: CallResult, { cost, priority = 0, signal }: PermitWait, waitedMs: number): void {
    const nowMs = this.#settings.runtime.now();
    const wasHeldUp = this.#heldUpMs >= nowMs - waitedMs;
    if (wasHeldUp) this.#tally.limited(nowMs);
    if (result === "granted" && !wasHeldUp) this.#tally.granted += 1;
    else this.#tally.decided(signal?.reason === STOLEN ? "granted" : result, waitedMs, cost, priority);
  }
}
