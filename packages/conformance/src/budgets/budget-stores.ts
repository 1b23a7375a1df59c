import type { CoordinationStore } from "@dt/core";
import { type CaseContext, LONG_MS } from "../context.ts";
import { SkippedCase } from "../failure.ts";
import { Budget, type BudgetDefaults } from "./budget.ts";
import type { BudgetStore } from "./budget-store.ts";

type Optional = "resetBudget" | "inspectBudget" | "listBudgets";
type Having<Name extends Optional> = BudgetStore & Required<Pick<BudgetStore, Name>>;

/**
 * The store as a budget ledger.
 * @throws SkippedCase when it is none, unless the target says that it is
 */
export function asBudgets(context: CaseContext, store: CoordinationStore): BudgetStore {
  if (context.has(store, "spend")) return store as BudgetStore;
  if (context.target.budgets === true) context.fail("the target promises budgets, and the store has no spend()");
  throw new SkippedCase("the store keeps no budgets (it has no spend())");
}

/** The case's first store as a budget ledger. */
export async function budgetStore(context: CaseContext): Promise<BudgetStore> {
  return asBudgets(context, await context.store());
}

/** Another client of the same budgets; the same store again when the target's stores share nothing. */
export async function budgetClient(context: CaseContext): Promise<BudgetStore> {
  return asBudgets(context, await context.client());
}

/** The case's first store and some other clients. */
export async function budgetClients(context: CaseContext, count: number): Promise<BudgetStore[]> {
  const stores = [await budgetStore(context)];
  while (stores.length < count) stores.push(await budgetClient(context));
  return stores;
}

/** @throws SkippedCase where the store cannot reset a budget */
export function resetsBudgets(context: CaseContext, store: BudgetStore): Having<"resetBudget"> {
  return having(context, store, "resetBudget", "cannot reset a budget");
}

/** @throws SkippedCase where the store does not inspect budgets */
export function inspectsBudgets(context: CaseContext, store: BudgetStore): Having<"inspectBudget"> {
  return having(context, store, "inspectBudget", "does not inspect budgets");
}

/** @throws SkippedCase where the store does not list its budgets */
export function listsBudgets(context: CaseContext, store: BudgetStore): Having<"listBudgets"> {
  return having(context, store, "listBudgets", "lists no budgets");
}

/**
 * A budget of 10 requests and 1,000 tokens that no caller has used, with windows so long that no charge leaves them
 * while the case runs unless it says otherwise.
 */
export async function newBudget(
  context: CaseContext,
  defaults: Partial<BudgetDefaults> = {},
  name = context.group(),
): Promise<Budget> {
  const windowMs = context.ms(LONG_MS);
  const all = {
    limits: [
      { name: "requests", max: 10, windowMs, burst: 10 },
      { name: "tokens", max: 1_000, windowMs, burst: 1_000 },
    ],
    keeps: [0],
    maxWaitMs: 10 * windowMs,
    keepMs: windowMs,
    ...defaults,
  };
  return new Budget(await budgetStore(context), name, all, context.rule, (rule, summary) =>
    context.fail(summary, rule),
  );
}

function having<Name extends Optional>(
  context: CaseContext,
  store: BudgetStore,
  name: Name,
  what: string,
): Having<Name> {
  if (!context.has(store, name)) throw new SkippedCase(`the store ${what} (it has no ${name}())`);
  return store as Having<Name>;
}
