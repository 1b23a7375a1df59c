import { type DtError, type Runtime, systemRuntime } from "@dt/core";
import type { MemberAnswer, MemberSource } from "@dt/pod-count";

/** How long a condition that must come true is waited for. */
const PATIENCE_MS = 120_000;

/** Everything a source has said. */
export class Observed {
  readonly answers: MemberAnswer[] = [];
  readonly errors: DtError[] = [];
  readonly #close: () => void;

  constructor(source: MemberSource, runtime: Runtime = systemRuntime) {
    this.#close = source.open({
      runtime,
      observed: (answer) => this.answers.push(answer),
      failed: (error) => this.errors.push(error),
    });
  }

  get last(): MemberAnswer | undefined {
    return this.answers.at(-1);
  }

  /** The names or the number last answered; the names sorted. */
  get members(): number | readonly string[] | undefined {
    const members = this.last?.members;
    return typeof members === "object" ? [...members].sort() : members;
  }

  /** Resolves when the condition holds; fails with what was said instead. */
  async until(condition: (observed: this) => boolean): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (!condition(this)) {
      if (performance.now() > deadlineMs)
        throw new Error(
          `after ${PATIENCE_MS} ms still not: ${condition}; said ${JSON.stringify(this.last)} and ${this.errors.at(-1)}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  close(): void {
    this.#close();
  }
}
