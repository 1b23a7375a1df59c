import type { Random } from "../random.ts";
import type { Timeline } from "../sim/engine/timeline.ts";
import type { Host } from "./host.ts";

/** How the network between one process and the server is just now. */
export interface Weather {
  /** Nothing passes. */
  cut: boolean;
  /** Probability that a message is lost, in either direction. */
  lost: number;
  /** Probability that a message is late by up to {@link LATEST_MS}. */
  late: number;
}

const LATEST_MS = 6_000;

/** Carries requests of one process to the server and answers back, each with its own delay; some are lost or late. */
export class Network {
  readonly weather: Weather = { cut: false, lost: 0, late: 0 };
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #host: Host;
  readonly #latencyMs: number;

  constructor(timeline: Timeline, random: Random, host: Host, latencyMs: number) {
    this.#timeline = timeline;
    this.#random = random;
    this.#host = host;
    this.#latencyMs = latencyMs;
  }

  /**
   * Runs `request` at the server, if it gets there, and gives what it returned, if that gets back within the deadline
   * of the process.
   */
  call<T>(request: () => T, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = this.#host.setTimer(() => reject(new Error("4 DEADLINE_EXCEEDED")), timeoutMs);
      this.#send(() => {
        let answer: { readonly value: T } | { readonly error: unknown };
        try {
          answer = { value: request() };
        } catch (error) {
          answer = { error };
        }
        this.#send(() =>
          this.#host.deliver(() => {
            deadline.cancel();
            if ("value" in answer) resolve(answer.value);
            else reject(answer.error);
          }),
        );
      });
    });
  }

  #send(arrive: () => void): void {
    const { weather } = this;
    if (this.#random.chance(weather.lost)) return;
    const delayMs = this.#random.chance(weather.late)
      ? this.#random.between(200, LATEST_MS)
      : this.#random.between(0.2, this.#latencyMs);
    this.#timeline.after(delayMs, () => {
      if (!weather.cut) arrive();
    });
  }
}
