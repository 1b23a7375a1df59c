import { Raises } from "@dt-tooling/simulator/raises";
import type { Timings } from "../timings.ts";
import type { Answer, BootLog, Entry } from "./entry.ts";
import { EvenRelease } from "./even-release.ts";
import type { Rule, Violation } from "./violation.ts";

/** Below a millisecond: what reading a clock twice can make of one instant. */
const ROUNDING_MS = 0.5;

/** A grant with what the checker knows of it. */
export interface Grant {
  readonly boot: string;
  readonly atMs: number;
  readonly epoch: number;
  /** Those that are calls: what was given back before in the same epoch is granted again for nothing. */
  readonly tokens: number;
  /** The capacity its process was last answered. */
  readonly limit: number;
}

/** Tokens that were granted in an epoch; fewer than none where some came back in it. */
export type Movement = Grant;

export interface BootFindings {
  readonly grants: readonly Grant[];
  /** All that was granted and came back in time, in order. */
  readonly movements: readonly Movement[];
  readonly violations: readonly Violation[];
  readonly givenBack: GivenBack;
  /** True when it was to release its tokens evenly. */
  readonly even: boolean;
}

/** Tokens that callers gave back through a grant. */
export interface GivenBack {
  /** In the epoch of their grant. */
  readonly inTime: number;
  /** Later. */
  readonly late: number;
}

/**
 * Checks one process by itself, from what it was answered and what it granted; asks the throttle for nothing but the
 * epoch of each grant.
 */
export function checkBoot(log: BootLog, timings: Timings): BootFindings {
  return new BootWalk(log.name, timings).walk(log.entries);
}

class BootWalk {
  readonly #boot: string;
  readonly #timings: Timings;
  readonly #grants: Grant[] = [];
  readonly #movements: Movement[] = [];
  readonly #violations: Violation[] = [];
  readonly #raises = new Raises();
  #lastEpoch = Number.NEGATIVE_INFINITY;
  /** Tokens granted in the last epoch, less those given back in it. */
  #usedInEpoch = 0;
  /** The most that ever were: what is given back makes no call undone. */
  #mostInEpoch = 0;
  #givenBack = { inTime: 0, late: 0 };
  /** When the last call was sent that succeeded in time. */
  #sentMs = Number.NEGATIVE_INFINITY;
  /** When it sent its last report. */
  #reportedMs = Number.NEGATIVE_INFINITY;
  #limit = 0;
  #ended: string | undefined;
  #even: EvenRelease | undefined;

  constructor(boot: string, timings: Timings) {
    this.#boot = boot;
    this.#timings = timings;
  }

  walk(entries: readonly Entry[]): BootFindings {
    for (const [index, entry] of entries.entries()) {
      if (entry.n !== index + 1) this.#report("log", `line ${index + 1} has the number ${entry.n}`);
      if ((entry.type === "boot") !== (index === 0)) this.#report("log", `line ${index + 1} is a "${entry.type}"`);
      if (entry.type === "boot" && entry.release === "even") this.#even = new EvenRelease(this.#timings.intervalMs);
      if (entry.type === "answer") this.#answered(entry);
      else if (entry.type === "report") this.#reported(entry.atMs, entry.held);
      else if (entry.type === "grant") this.#granted(entry.atMs, entry.epoch, entry.tokens);
      else if (entry.type === "returned") this.#returned(entry.atMs, entry.epoch, entry.tokens);
      else if (entry.type === "refused") this.#refused(entry.atMs, entry.epoch, entry.tokens);
      else if (entry.type === "failed" && entry.code === "DT_INVALID_OPTION")
        this.#report("refused", `${entry.operation} was refused with ${entry.code}`);
      else if (entry.type === "leaving" || entry.type === "fenced") this.#ended = entry.type;
    }
    return {
      grants: this.#grants,
      movements: this.#movements,
      violations: this.#violations,
      givenBack: this.#givenBack,
      even: this.#even !== undefined,
    };
  }

  #reported(atMs: number, held: number): void {
    this.#reportedMs = atMs;
    this.#raises.reported(held, this.#lastEpoch, this.#usedInEpoch);
  }

  #answered({ sentMs, atMs, status, storeTimeMs, member }: Answer): void {
    const { storeTimeoutMs, validityMs, clockErrorMs, intervalMs } = this.#timings;
    // A reply after its deadline is as good as none.
    if (member === undefined || atMs - sentMs > storeTimeoutMs + ROUNDING_MS) return;
    if (sentMs !== this.#reportedMs) this.#raises.registered();
    const { held, capacity, learning } = member;
    const byOldRule = Math.floor((storeTimeMs + clockErrorMs) / intervalMs) + 1;
    const { entitled = held, fromEpoch = byOldRule, early = 0 } = member;
    const most = status === "agree" ? held : entitled;
    this.#raises.answered({ held, most, fromEpoch, early }, sentMs - this.#sentMs >= validityMs + ROUNDING_MS);
    this.#sentMs = sentMs;
    // A `max` that was lowered while the store lost its data is in force once everybody had the time to say what they
    // hold.
    this.#limit = learning ? Math.max(this.#limit, capacity) : capacity;
  }

  #granted(atMs: number, epoch: number, tokens: number): void {
    if (!Number.isSafeInteger(tokens) || tokens < 1 || !Number.isSafeInteger(epoch))
      this.#report("log", `a grant of ${tokens} tokens`, epoch);
    if (epoch < this.#lastEpoch) this.#report("epoch-back", `granted in ${epoch} after ${this.#lastEpoch}`, epoch);
    if (epoch !== this.#lastEpoch) this.#usedInEpoch = this.#mostInEpoch = 0;
    this.#usedInEpoch += tokens;
    this.#lastEpoch = epoch;
    if (this.#ended) this.#report("granted-after-end", `granted ${tokens} after "${this.#ended}"`, epoch);
    const sinceMs = atMs - this.#sentMs;
    if (sinceMs >= this.#timings.validityMs + ROUNDING_MS)
      this.#report("validity", `granted ${sinceMs.toFixed(1)} ms after its last successful call`, epoch);
    const most = this.#raises.most(epoch);
    if (this.#usedInEpoch > most)
      this.#report("raise-too-early", `used ${this.#usedInEpoch}, ${most} had been answered for then`, epoch);
    const calls = Math.max(0, this.#usedInEpoch - this.#mostInEpoch);
    this.#mostInEpoch += calls;
    const uneven = this.#even?.granted(atMs, calls, most - this.#raises.spent(epoch));
    if (uneven !== undefined) this.#report("uneven", uneven, epoch);
    this.#grants.push({ boot: this.#boot, atMs, epoch, tokens: calls, limit: this.#limit });
    this.#move(atMs, epoch, tokens);
  }

  /** Counts for the epoch of the grant, and only while this process has granted nothing in a later one. */
  #returned(atMs: number, epoch: number, tokens: number): void {
    if (!Number.isSafeInteger(tokens) || tokens < 0) this.#report("given-back", `${tokens} tokens given back`, epoch);
    if (epoch !== this.#lastEpoch) {
      this.#givenBack.late += tokens;
      return;
    }
    if (tokens > this.#usedInEpoch)
      this.#report("given-back", `${tokens} given back of ${this.#usedInEpoch} that were granted`, epoch);
    this.#givenBack.inTime += tokens;
    this.#usedInEpoch -= tokens;
    if (tokens > 0) this.#move(atMs, epoch, -tokens);
  }

  #refused(atMs: number, epoch: number, tokens: number): void {
    if (epoch !== this.#lastEpoch) return;
    this.#givenBack.inTime -= tokens;
    this.#givenBack.late += tokens;
    this.#usedInEpoch += tokens;
    if (this.#usedInEpoch <= this.#mostInEpoch) this.#move(atMs, epoch, tokens);
    else this.#report("given-back", `granted ${tokens} again and said they were not taken`, epoch);
  }

  #move(atMs: number, epoch: number, tokens: number): void {
    this.#movements.push({ boot: this.#boot, atMs, epoch, tokens, limit: this.#limit });
  }

  #report(rule: Rule, detail: string, epoch?: number): void {
    this.#violations.push({ rule, boot: this.#boot, ...(epoch !== undefined && { epoch }), detail });
  }
}
