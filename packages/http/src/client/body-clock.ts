import type { Verdict } from "@dt/adaptive";
import { type Deadline, timeoutError } from "./deadline.ts";
import type { HttpClientSettings } from "./options.ts";
import type { SendRight } from "./send-right.ts";
import { bodyOutcome } from "./verdicts.ts";

/**
 * The body of an answer, from its head to its end: who is waited for. While somebody reads, it is the callee: after
 * `bodyTimeout` without a piece the request fails. While nobody does, its slot is free after a time, and the body can
 * still be read. A slot of the whole fleet is free only when the request has ended, so that the request fails then.
 */
export class BodyClock {
  readonly #right: SendRight;
  readonly #verdict: Verdict;
  readonly #deadline: Deadline;
  readonly #settings: Pick<HttpClientSettings, "bodyTimeoutMs" | "unreadMs">;
  readonly #fail: (error: Error) => void;

  /** @param fail ends a request whose callee sends nothing more */
  constructor(
    right: SendRight,
    verdict: Verdict,
    deadline: Deadline,
    settings: Pick<HttpClientSettings, "bodyTimeoutMs" | "unreadMs">,
    fail: (error: Error) => void,
  ) {
    this.#right = right;
    this.#verdict = verdict;
    this.#deadline = deadline;
    this.#settings = settings;
    this.#fail = fail;
  }

  /** Somebody waits for the next piece. */
  reading(): void {
    const { bodyTimeoutMs } = this.#settings;
    this.#right.unread(false);
    this.#deadline.set(bodyTimeoutMs, () => this.#fail(timeoutError("the next piece of the body", bodyTimeoutMs)));
  }

  /** Nobody does. */
  idle(): void {
    const { unreadMs } = this.#settings;
    this.#right.unread(true);
    this.#deadline.set(unreadMs, () => {
      if (this.#right.ofFleet) this.#fail(timeoutError("the reading of the body", unreadMs));
      else this.#right.settle(this.#verdict);
    });
  }

  /** It was read to its end, given up, or failed. */
  ended(error?: unknown): void {
    this.#deadline.end();
    this.#right.settle(bodyOutcome(this.#verdict, error));
  }
}
