import type { Timeline } from "../fleet/engine/timeline.ts";
import { Link } from "../fleet/world/link.ts";
import type { Random } from "../random.ts";
import type { Host } from "./host.ts";

/** Carries requests of one process to the server and answers back. */
export class Network extends Link {
  readonly #timeline: Timeline;
  readonly #host: Host;

  constructor(timeline: Timeline, random: Random, host: Host, latencyMs: number) {
    super(timeline, random, { latencyMs });
    this.#timeline = timeline;
    this.#host = host;
  }

  /**
   * Runs `request` at the server, if it gets there, and gives what it returned, if that gets back within the deadline
   * of the process.
   */
  call<T>(request: () => T, timeoutMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const deadline = this.#host.setTimer(() => reject(new Error("4 DEADLINE_EXCEEDED")), timeoutMs);
      this.#send("request", () => {
        let answer: { readonly value: T } | { readonly error: unknown };
        try {
          answer = { value: request() };
        } catch (error) {
          answer = { error };
        }
        this.#send("reply", () =>
          this.#host.deliver("message", () => {
            deadline.cancel();
            if ("value" in answer) resolve(answer.value);
            else reject(answer.error);
          }),
        );
      });
    });
  }

  #send(direction: "request" | "reply", arrive: () => void): void {
    for (const delayMs of this.copies(direction))
      this.#timeline.after(delayMs, () => {
        if (this.cut === undefined) arrive();
      });
  }
}
