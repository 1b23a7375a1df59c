import type { BucketRef } from "@dt/core";
import type { Statements } from "../statements.ts";

const FIRST: BucketRef = { name: "", key: "" };

/** Rows that one step looks at, at least and at most: powers of two. */
const LEAST_ROWS = 16;
const MOST_ROWS = 2_048;

/**
 * Forgets buckets that mean nothing any more, a few with each transaction. It goes through the table in its own order,
 * again and again, and deletes what is over: so what a step deletes lies on a few pages. In the order of time it would
 * lie on as many pages as rows, which takes fifty times as long. A step is twice as long as the one before while half
 * of what it looks at is over, and half as long otherwise.
 */
export class BucketSweep {
  #rows = LEAST_ROWS;
  #from = FIRST;

  /** One step, inside a write transaction. @param clockMs the machine's clock */
  step(statements: Statements, clockMs: number): void {
    const { selectBucketAfter, forgetBucketsAfter, forgetBucketsBetween } = statements;
    const { name, key } = this.#from;
    const end = selectBucketAfter.get(name, key, this.#rows - 1) as BucketRef | undefined;
    const { changes } = end
      ? forgetBucketsBetween.run(name, key, end.name, end.key, clockMs)
      : forgetBucketsAfter.run(name, key, clockMs);
    this.#from = end ?? FIRST;
    this.#rows = 2 * Number(changes) >= this.#rows ? Math.min(2 * this.#rows, MOST_ROWS) : this.#fewer();
  }

  #fewer(): number {
    return Math.max(this.#rows / 2, LEAST_ROWS);
  }
}
