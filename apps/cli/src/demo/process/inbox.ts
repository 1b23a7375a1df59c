type Message = { readonly type: string };

/** Messages by type: waits for one, or hands out the one that came before anybody waited. */
export class Inbox<M extends Message> {
  readonly #early = new Map<string, M>();
  readonly #waiting = new Map<string, (message: M) => void>();

  deliver(message: M): void {
    const resolve = this.#waiting.get(message.type);
    this.#waiting.delete(message.type);
    if (resolve) resolve(message);
    else this.#early.set(message.type, message);
  }

  take<T extends M["type"]>(type: T): Promise<Extract<M, { readonly type: T }>> {
    const early = this.#early.get(type);
    this.#early.delete(type);
    return new Promise((resolve) => {
      if (early) resolve(early as Extract<M, { readonly type: T }>);
      else this.#waiting.set(type, (message) => resolve(message as Extract<M, { readonly type: T }>));
    });
  }
}
