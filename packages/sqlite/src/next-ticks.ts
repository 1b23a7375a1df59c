/**
 * The order in which calls may use the database, which works in place: until a transaction is done, nothing else goes
 * on in the process. So before each one, whoever has just been answered goes on first, however many promises lie
 * between the answer and the code that waits for it. A permit, for one, grows old meanwhile.
 */
export class NextTicks {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves when the caller may go on: those who asked before have gone on, and whoever waited for what they did
   * has gone on.
   */
  next(): Promise<void> {
    this.#last = this.#last.then(whenNobodyCanGoOn);
    return this.#last;
  }
}

/**
 * Node runs a `nextTick` that was asked for by a promise's callback only when no other promise has anybody left to
 * call.
 */
function whenNobodyCanGoOn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
