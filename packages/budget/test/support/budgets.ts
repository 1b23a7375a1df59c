import { MemoryStore } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { type Budget, type BudgetOptions, createBudget } from "../../src/index.ts";

export type Two = "requests" | "tokens";

/** Budgets over one store in virtual time, one for each process. */
export function fleet(options: Partial<BudgetOptions<Two>> = {}, processes = 1) {
  const runtime = new VirtualRuntime({ seed: 1 });
  const store = new MemoryStore({ runtime });
  const create = (more: Partial<BudgetOptions<Two>> = {}): Budget<Two> =>
    createBudget<Two>({
      name: "llm",
      limits: { requests: { rate: "60/min", burst: 60 }, tokens: { rate: "6000/min", burst: 6_000 } },
      ...{ store, runtime, ...options, ...more },
    });
  const budgets = Array.from({ length: processes }, () => create());
  const pass = async (ms: number): Promise<void> => {
    await runtime.advance(ms);
    await settle();
  };
  return { runtime, store, create, budgets, budget: budgets[0] as Budget<Two>, pass };
}

/** What became of a promise so far. */
export function watched<T>(promise: Promise<T>) {
  const seen: { value?: T; error?: unknown; done: boolean } = { done: false };
  promise.then(
    (value) => Object.assign(seen, { value, done: true }),
    (error: unknown) => Object.assign(seen, { error, done: true }),
  );
  return seen;
}
