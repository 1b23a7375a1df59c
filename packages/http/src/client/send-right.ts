import type { Passage, Verdict } from "@dt/adaptive";
import { whenAborted } from "@dt/core/internal";
import type { RequestsInFlight } from "./requests-in-flight.ts";

/** The answers of a callee whose body nobody reads. */
export interface Unread {
  count: number;
}

/** The right to send one request. Whoever has it sends at once, and says how it ended. */
export class SendRight {
  readonly #passage: Passage;
  readonly #unread: Unread;
  #onItsWay: RequestsInFlight | undefined;
  #isUnread = false;

  constructor(passage: Passage, onItsWay: RequestsInFlight, unread: Unread) {
    this.#passage = passage;
    this.#onItsWay = onItsWay;
    this.#unread = unread;
  }

  /** True where it has a slot of the whole fleet: the request must have ended before another has that slot. */
  get ofFleet(): boolean {
    return this.#passage.signal !== undefined;
  }

  /** Calls back when its slot of the fleet is lost or overdue: the request is to end. Never after it was settled. */
  onLost(end: (reason: Error) => void): void {
    const { signal } = this.#passage;
    if (signal === undefined) return;
    const lost = (): void => end(signal.reason as Error);
    if (signal.aborted) lost();
    else whenAborted(signal, lost);
  }

  /** Reports the head of its answer. Returns how long the pause is that begins, in milliseconds; 0 for none. */
  reportHead(verdict: Verdict): number {
    return this.#passage.reportHead(verdict);
  }

  /** The head of its answer is there. */
  answered(): void {
    const onItsWay = this.#onItsWay;
    this.#onItsWay = undefined;
    onItsWay?.answered();
  }

  /** Whether nobody reads its body, for which it holds its place. */
  unread(isUnread: boolean): void {
    if (isUnread === this.#isUnread || !this.#passage.open) return;
    this.#isUnread = isUnread;
    this.#unread.count += isUnread ? 1 : -1;
  }

  /** It ended. A later report changes nothing. */
  settle(verdict: Verdict): void {
    this.unread(false);
    this.#passage.settle(verdict);
    this.answered();
  }
}
