import type { Runtime } from "@dt/core";
import type { CallBooks } from "@dt-tooling/backends/callee/call-limits";

/** What became of requests. Each ends in one of these, once it is answered or its connection is closed. */
export interface Counts {
  /** Requests that came. */
  received: number;
  /** Answered 200. */
  accepted: number;
  /** Answered 429: too many in the window, or in a phase that throttles. */
  refused: number;
  /** Answered 503: too many wait for a worker. */
  shed: number;
  /** Answered 500. */
  failed: number;
  /** Never answered, until the client left. */
  hung: number;
  /** Connections cut in the middle of the answer. */
  cut: number;
  /** Clients that left before they were answered, of requests that would have been. */
  gone: number;
}

/** The books of one second, counted from the start. */
export interface Second extends Counts {
  readonly second: number;
}

/** What the callee has seen, as `GET /stats` tells it. */
export interface CalleeStats extends Counts, Partial<CallBooks> {
  readonly longestQueue: number;
  /** Records that were accepted, and accepted again, by the header of `--ids`; 0 without it. */
  readonly distinct: number;
  readonly repeated: number;
  /** Seconds in which something happened, the last 3,600 of them. */
  readonly seconds: readonly Second[];
}

/** An hour. */
const MOST_SECONDS = 3_600;

/** Keeps count of requests, in all and by the second. */
export class Books {
  readonly #total: Counts = none();
  readonly #seconds: Second[] = [];
  readonly #ids = new Set<string>();
  readonly #runtime: Runtime;
  readonly #startMs: number;
  readonly #closed: (second: Second) => void;
  #repeated = 0;

  /** @param closed hears of every second in which something happened, when the next such one begins */
  constructor(runtime: Runtime, closed: (second: Second) => void) {
    this.#runtime = runtime;
    this.#startMs = runtime.now();
    this.#closed = closed;
  }

  count(what: keyof Counts): void {
    this.#total[what] += 1;
    this.#second()[what] += 1;
  }

  /** A record was accepted. */
  accepted(id: string | undefined): void {
    this.count("accepted");
    if (id === undefined) return;
    if (this.#ids.has(id)) this.#repeated += 1;
    else this.#ids.add(id);
  }

  stats(longestQueue: number): CalleeStats {
    const records = { distinct: this.#ids.size, repeated: this.#repeated };
    return { ...this.#total, longestQueue, ...records, seconds: this.#seconds };
  }

  #second(): Second {
    const second = Math.floor((this.#runtime.now() - this.#startMs) / 1_000);
    const last = this.#seconds.at(-1);
    if (last?.second === second) return last;
    if (last) this.#closed(last);
    const next = { second, ...none() };
    this.#seconds.push(next);
    if (this.#seconds.length > MOST_SECONDS) this.#seconds.shift();
    return next;
  }
}

function none(): Counts {
  return { received: 0, accepted: 0, refused: 0, shed: 0, failed: 0, hung: 0, cut: 0, gone: 0 };
}
