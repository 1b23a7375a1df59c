import type { DtError } from "@dt/core";
import type { PoolObserver, PoolSource } from "@dt/pod-count";

/** A source that answers when the test says so. */
export class ManualSource implements PoolSource {
  readonly name = "manual";
  readonly freshForMs: number;
  readonly lagMs: number;
  #observer: PoolObserver | undefined;
  #last: { pool: number | readonly string[]; self: string | undefined } | undefined;

  constructor(options: { readonly freshForMs?: number; readonly lagMs?: number } = {}) {
    this.freshForMs = options.freshForMs ?? 5_000;
    this.lagMs = options.lagMs ?? 6_000;
  }

  /** Whom it speaks to while it is open. */
  get observer(): PoolObserver | undefined {
    return this.#observer;
  }

  get isOpen(): boolean {
    return this.#observer !== undefined;
  }

  open(observer: PoolObserver): () => void {
    this.#observer = observer;
    if (this.#last) this.answer(this.#last.pool, this.#last.self);
    return () => {
      this.#observer = undefined;
    };
  }

  answer(pool: number | readonly string[], self?: string): void {
    this.#last = { pool, self };
    const { freshForMs, lagMs } = this;
    this.#observer?.observed({ pool, self, remedy: "be listed", freshForMs, lagMs });
  }

  /** The last answer again. */
  confirm(): void {
    if (this.#last) this.answer(this.#last.pool, this.#last.self);
  }

  fail(error: DtError): void {
    this.#observer?.failed(error);
  }
}
