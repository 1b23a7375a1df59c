import { type CoordinationStore, DtError, type StoreCapabilities, type View } from "../../src/index.ts";

/** A real store behind a connection that can be cut, hung, or made to lose replies. */
export class FaultyStore implements CoordinationStore {
  readonly #inner: CoordinationStore;
  /** `refuse` fails at once, `hang` never answers, `loseReplies` lets the store act and never tells. */
  fault: "none" | "refuse" | "hang" | "loseReplies" = "none";
  calls = 0;

  constructor(inner: CoordinationStore) {
    this.#inner = inner;
  }

  get capabilities(): StoreCapabilities {
    return { ...this.#inner.capabilities, hints: false };
  }

  register(...args: Parameters<CoordinationStore["register"]>): Promise<View> {
    return this.#through(() => this.#inner.register(...args));
  }

  sync(...args: Parameters<CoordinationStore["sync"]>): Promise<View> {
    return this.#through(() => this.#inner.sync(...args));
  }

  deregister(...args: Parameters<CoordinationStore["deregister"]>): Promise<void> {
    return this.#through(() => this.#inner.deregister(...args));
  }

  inspect(...args: Parameters<CoordinationStore["inspect"]>): ReturnType<CoordinationStore["inspect"]> {
    return this.#inner.inspect(...args);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #through<T>(call: () => Promise<T>): Promise<T> {
    this.calls += 1;
    if (this.fault === "refuse")
      throw new DtError("DT_STORE_UNAVAILABLE", "connection refused", { effect: "definite" });
    if (this.fault === "hang") return new Promise(() => undefined);
    const result = await call();
    return this.fault === "loseReplies" ? new Promise(() => undefined) : result;
  }
}
