import type { Runtime } from "@dt/core";
import type { Outcome } from "../outcome/outcome.ts";
import type { AdaptiveRateSettings } from "./adaptive-rate-options.ts";
import type { RateGate } from "./gate.ts";
import { type LearnedRate, lowered, type Measured, raised, startedFrom, UNLIMITED } from "./learned-rate.ts";
import { MeasuredRate } from "./measured-rate.ts";

/** A rate is raised in steps that are so far apart, not with every success. */
const STEP_MS = 100;

/** Fewer calls than so many in a bucket say too little of how many the callee takes. */
const ENOUGH = 10;

/** Calls count as held back for so many seconds, or intervals of a throttle, after one was. */
const LIMITED_FOR = 2;

/** Learns the rate from how calls end: lower after a refusal, and growing again with every success. */
export class Learning {
  readonly sent: MeasuredRate;
  readonly taken: MeasuredRate;
  readonly #settings: AdaptiveRateSettings;
  readonly #runtime: Runtime;
  readonly #gate: RateGate;
  readonly #changed: (before: number) => void;
  #learned: LearnedRate = UNLIMITED;
  /** Refusals of calls that began before say nothing of the rate that there is now. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #limitedMs = Number.NEGATIVE_INFINITY;
  #raisedMs = Number.NEGATIVE_INFINITY;

  /** @param changed called with the rate of before when the rate has changed */
  constructor(settings: AdaptiveRateSettings, gate: RateGate, changed: (before: number) => void) {
    const nowMs = settings.runtime.now();
    this.#settings = settings;
    this.#runtime = settings.runtime;
    this.#gate = gate;
    this.#changed = changed;
    this.sent = new MeasuredRate(nowMs, gate.bunchMs);
    this.taken = new MeasuredRate(nowMs, gate.bunchMs);
  }

  /** Calls a second of all members together; `Infinity` before the first refusal. */
  get rate(): number {
    return this.#learned.rate;
  }

  /** Lets the measured rates forget what is too old. */
  look(): void {
    const nowMs = this.#runtime.now();
    this.sent.add(nowMs, 0);
    this.taken.add(nowMs, 0);
  }

  /** A caller was held back by the rate. */
  heldBack(): void {
    this.#limitedMs = this.#runtime.now();
  }

  /** A call begins; answers when that is. */
  begun(cost: number): number {
    const startedMs = this.#runtime.now();
    this.sent.add(startedMs, cost);
    // A refusal comes soon, an answer may take a minute: a call that is not refused counts as taken from its beginning.
    this.taken.add(startedMs, cost);
    return startedMs;
  }

  /** A call has ended. */
  ended(outcome: Outcome, cost: number, startedMs: number): void {
    const nowMs = this.#runtime.now();
    if (outcome === "overload" || outcome === "ignored") this.taken.add(nowMs, -cost);
    if (outcome === "ignored") return;
    // A refusal of a call that began before the rate was lowered is one that led to it.
    if (outcome !== "overload") this.#raise(nowMs);
    else if (startedMs >= this.#sinceMs) this.#lower(nowMs);
  }

  /** Starts from a rate that was learned before; false where this process has learned one meanwhile. */
  startFrom(rate: number): boolean {
    if (this.#learned !== UNLIMITED) return false;
    const { beta, min, growth } = this.#settings;
    const nowMs = this.#runtime.now();
    this.#learned = startedFrom(Math.max(min, rate), nowMs, beta, growth);
    this.#sinceMs = nowMs;
    this.#raisedMs = nowMs;
    return true;
  }

  #lower(nowMs: number): void {
    const { beta, min } = this.#settings;
    const before = this.#learned.rate;
    const tried = before < Number.POSITIVE_INFINITY ? this.#learned : { ...UNLIMITED, rate: this.#gate.unset };
    const learned = lowered(tried, this.#measured(nowMs), nowMs, beta);
    this.#sinceMs = nowMs;
    this.#learned = learned.rate < min ? { ...learned, rate: min, highest: min / beta } : learned;
    this.#raisedMs = nowMs;
    this.#changed(before);
  }

  #raise(nowMs: number): void {
    if (nowMs < this.#raisedMs + STEP_MS) return;
    this.#raisedMs = nowMs;
    const { beta, growth } = this.#settings;
    const learned = raised(this.#learned, this.#measured(nowMs), nowMs, beta, growth);
    if (learned === this.#learned) return;
    const before = this.#learned.rate;
    this.#learned = learned;
    this.#changed(before);
  }

  /** What all members together send, if they do as this one does. */
  #measured(nowMs: number): Measured {
    const { members } = this.#gate;
    this.sent.add(nowMs, 0);
    this.taken.add(nowMs, 0);
    const enough = this.sent.newest >= ENOUGH;
    return {
      sent: this.sent.estimate * members,
      taken: enough ? this.taken.rate * members : undefined,
      limited: nowMs - this.#limitedMs <= LIMITED_FOR * Math.max(1_000, this.#gate.bunchMs),
    };
  }
}
