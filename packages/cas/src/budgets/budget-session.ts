import type { BudgetSnapshot, SpendAnswer, SpendRequest } from "@dt/core";
import { inspectBudget } from "@dt/core/ledger";
import type { Session } from "../sessions.ts";
import type { DocumentCell } from "../timed-document/document-cell.ts";
import { DocumentSession, type DocumentSessionOptions } from "../timed-document/document-session.ts";
import type { BudgetContents } from "./budget-document.ts";
import { BUDGET_KIND } from "./budget-kind.ts";

/** One budget as this client takes part in it. */
export class BudgetSession implements Session {
  readonly #session: DocumentSession<BudgetContents, SpendRequest, SpendAnswer>;

  /** @param limit where the limit record of the budget is kept */
  constructor(cell: DocumentCell, limit: DocumentCell, options: DocumentSessionOptions) {
    this.#session = new DocumentSession(BUDGET_KIND, cell, options, limit);
  }

  get isIdle(): boolean {
    return this.#session.isIdle;
  }

  /** @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_DATA`, `DT_STORE_UNAVAILABLE`, and what the cell throws */
  async spend(request: SpendRequest, over: AbortSignal): Promise<SpendAnswer> {
    return (await this.#session.run(request, over)) as SpendAnswer;
  }

  /** @throws as {@link spend}, but not for what is damaged */
  reset(over: AbortSignal): Promise<void> {
    return this.#session.reset(over);
  }

  /**
   * What the budget holds, at its time as far as this client knows it.
   * @throws DtError `DT_STORE_DATA`, and what the cell throws
   */
  inspect(budget: string): Promise<BudgetSnapshot | undefined> {
    return this.#session.look(({ table }, nowMs) => inspectBudget(table, budget, nowMs));
  }

  end(): void {
    this.#session.end();
  }
}
