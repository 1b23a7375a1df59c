import type { DtError } from "@dt/core";
import type { MemberObserver, MemberSource } from "@dt/pod-count";

/** A source that answers when the test says so. */
export class ManualSource implements MemberSource {
  readonly name = "manual";
  readonly freshForMs: number;
  readonly lagMs: number;
  #observer: MemberObserver | undefined;
  #last: { members: number | readonly string[]; self: string | undefined } | undefined;

  constructor(options: { readonly freshForMs?: number; readonly lagMs?: number } = {}) {
    this.freshForMs = options.freshForMs ?? 5_000;
    this.lagMs = options.lagMs ?? 6_000;
  }

  /** Whom it speaks to while it is open. */
  get observer(): MemberObserver | undefined {
    return this.#observer;
  }

  get isOpen(): boolean {
    return this.#observer !== undefined;
  }

  open(observer: MemberObserver): () => void {
    this.#observer = observer;
    if (this.#last) this.answer(this.#last.members, this.#last.self);
    return () => {
      this.#observer = undefined;
    };
  }

  answer(members: number | readonly string[], self?: string): void {
    this.#last = { members, self };
    const { freshForMs, lagMs } = this;
    this.#observer?.observed({ members, self, remedy: "be listed", freshForMs, lagMs });
  }

  /** The last answer again. */
  confirm(): void {
    if (this.#last) this.answer(this.#last.members, this.#last.self);
  }

  fail(error: DtError): void {
    this.#observer?.failed(error);
  }
}
