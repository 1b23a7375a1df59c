import { setTimeout as sleep } from "node:timers/promises";
import { type Budget, createBudget } from "@dt/budget";
import type { BudgetLedger } from "@dt/core";
import type { StartedStore } from "../permits/stores/permit-store.ts";
import { EXACT, EXACT_LIMITS, STORE_TIMEOUT_MS } from "./settings.ts";

/** What is known of the exact budget. */
export interface Books {
  readonly spent: number;
  /** Leases that are not settled. */
  readonly open: number;
}

const SETTLED_WITHIN_MS = 20_000;
/** So long nothing may change any more. */
const QUIET_MS = 500;

/** The exact budget as another process sees it: this one. */
export class ExactBudget implements AsyncDisposable {
  readonly budget: Budget<"tokens">;
  readonly #store: BudgetLedger & AsyncDisposable;

  private constructor(store: BudgetLedger & AsyncDisposable) {
    this.#store = store;
    this.budget = createBudget({
      ...{ name: EXACT, limits: EXACT_LIMITS, lateness: "10s", storeTimeout: STORE_TIMEOUT_MS },
      store,
    });
  }

  static async open({ module, factory, options }: StartedStore): Promise<ExactBudget> {
    const makers = (await import(module)) as Record<string, (options: object) => BudgetLedger & AsyncDisposable>;
    return new ExactBudget((makers[factory] as NonNullable<(typeof makers)[string]>)(options));
  }

  /** What the store has; undefined while it does not answer. */
  async books(): Promise<Books | undefined> {
    try {
      const found = await this.#store.inspectBudget?.(EXACT);
      return { spent: found?.limits[0]?.spent ?? 0, open: found?.open ?? 0 };
    } catch {
      return undefined;
    }
  }

  /** Waits until the store has these books, and for a while more; what it has in the end. */
  async becomes({ spent, open }: Books): Promise<Books | undefined> {
    const isIt = (books: Books | undefined): boolean => books?.spent === spent && books.open === open;
    const untilMs = performance.now() + SETTLED_WITHIN_MS;
    let books = await this.books();
    while (!isIt(books) && performance.now() < untilMs) {
      await sleep(50);
      books = await this.books();
    }
    if (!isIt(books)) return books;
    await sleep(QUIET_MS);
    return this.books();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.budget.stop();
    await this.#store[Symbol.asyncDispose]();
  }
}
