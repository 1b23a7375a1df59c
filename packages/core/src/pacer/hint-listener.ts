import type { PermitClient } from "./permit-client.ts";

/**
 * Listens for instants given back, from the first refusal on. Hints make waits shorter. Without them, or when they are
 * lost, the timer alone ends each wait; the next refusal tries to listen again.
 */
export class HintListener {
  readonly #client: PermitClient;
  readonly #onHint: () => void;
  #hints: Promise<(() => void) | undefined> | undefined;

  constructor(client: PermitClient, onHint: () => void) {
    this.#client = client;
    this.#onHint = onHint;
  }

  listen(): void {
    this.#hints ??= this.#begin();
  }

  async end(): Promise<void> {
    (await this.#hints)?.();
  }

  async #begin(): Promise<(() => void) | undefined> {
    const endHints = await this.#client.onHint(this.#onHint);
    if (!endHints) this.#hints = undefined;
    return endHints;
  }
}
