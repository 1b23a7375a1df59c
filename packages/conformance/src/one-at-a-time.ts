/** Lets one request go out at a time: answers to two at once have no order in which they could be judged. */
export class OneAtATime {
  #isAsked = false;

  /** @throws Error when another request is under way: the case is wrong, whatever the store */
  async ask<T>(send: () => Promise<T>): Promise<T> {
    if (this.#isAsked) throw new Error("a case sends one request at a time here, and another one is under way");
    this.#isAsked = true;
    try {
      return await send();
    } finally {
      this.#isAsked = false;
    }
  }
}
