import type { Events } from "../internal/events.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { MembershipEvents } from "./membership-events.ts";

/** A pause that ends later by no more is told to no listener: answers say when it ends to within a round trip. */
const LITTLE_MS = 100;

/** Never. */
const NEVER = Number.NEGATIVE_INFINITY;

/**
 * The pause of a fleet as one of its members knows it (R35), in local time. What this process asked for itself holds
 * here whatever the store does. What the store answered holds until its next answer.
 */
export class FleetPause {
  /** No call begins here before. */
  untilMs: number = NEVER;
  readonly #runtime: Runtime;
  readonly #events: Events<Pick<MembershipEvents, "paused">>;
  readonly #changed: () => void;
  /** What this process asked for, and how much of that the store has answered to. */
  #ownMs = NEVER;
  #toldMs = NEVER;
  /** What listeners know of. */
  #shownMs = NEVER;

  /** @param changed called when {@link untilMs} has changed */
  constructor(runtime: Runtime, events: Events<Pick<MembershipEvents, "paused">>, changed: () => void) {
    this.#runtime = runtime;
    this.#events = events;
    this.#changed = changed;
  }

  /** True once there was a pause, over or not. */
  get isKnown(): boolean {
    return this.untilMs > NEVER;
  }

  /** What is left of it, in milliseconds; 0 where there is none. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.untilMs - nowMs);
  }

  /** This process asks for a pause of the fleet. True where the store should hear of it at once, and not soon. */
  ask(forMs: number): boolean {
    this.#ownMs = Math.max(this.#ownMs, this.#runtime.now() + forMs);
    this.#set(Math.max(this.untilMs, this.#ownMs));
    return this.#ownMs > this.#toldMs + LITTLE_MS;
  }

  /** The end of the pause that a report which is sent now has to ask for; undefined where it has nothing to ask. */
  toTell(nowMs: number): number | undefined {
    return this.#ownMs > Math.max(this.#toldMs, nowMs) ? this.#ownMs : undefined;
  }

  /**
   * The store has answered to a member.
   * @param told what {@link toTell} gave for the request
   */
  heard(pausedForMs: number, told: number | undefined): void {
    if (told !== undefined) this.#toldMs = told;
    // Never too early: the store has answered before.
    const heardMs = pausedForMs > 0 ? this.#runtime.now() + pausedForMs : NEVER;
    if (heardMs > NEVER || this.isKnown) this.#set(Math.max(this.#ownMs, heardMs));
  }

  #set(untilMs: number): void {
    if (untilMs === this.untilMs) return;
    this.untilMs = untilMs;
    this.#shownMs = Math.min(this.#shownMs, untilMs);
    this.#changed();
    const forMs = this.leftMs(this.#runtime.now());
    if (forMs === 0 || untilMs <= this.#shownMs + LITTLE_MS) return;
    this.#shownMs = untilMs;
    if (this.#events.has("paused")) this.#events.emit("paused", { forMs });
  }
}
