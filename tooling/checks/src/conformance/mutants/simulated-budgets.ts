import { damagedBudget, inspectBudget, spend } from "@dt/core/ledger";
import type { Call, Operations } from "@dt/core/store";
import type { BudgetFlaw } from "./budget-flaw.ts";
import type { SimulatedServer } from "./simulated-server.ts";
import { PlainBudgetTable } from "./suite-internals.ts";

type Request = <T>(call: Call, serve: () => T | Promise<T>) => Promise<T>;
type BudgetOperations = Required<Pick<Operations, "spend" | "resetBudget" | "inspectBudget">>;

/** The budget ledger's part of a simulated store, and the budgets that have been used. */
export function simulatedBudgets(
  server: SimulatedServer,
  flaw: BudgetFlaw,
  client: number,
  request: Request,
): BudgetOperations & { readonly budgetNames: () => readonly string[] } {
  const nameOf = (budget: string): string => (flaw.key ? flaw.key(budget) : budget);
  const now = (): number => (flaw.clock ? flaw.clock(server.now(), client) : server.now());

  function refuseDamaged(budget: string): void {
    if (server.damagedBudgets.has(nameOf(budget))) throw damagedBudget(`the simulated row of ${budget}`, "nonsense");
  }

  function mend(budget: string): void {
    if (server.damagedBudgets.delete(nameOf(budget))) server.budgets.delete(nameOf(budget));
  }

  /** Torn, it is the classic: read everything, work it out, write everything back, with room for others in between. */
  async function change<T>(budget: string, operation: (table: PlainBudgetTable, nowMs: number) => T): Promise<T> {
    if (flaw.damaged === "served") mend(budget);
    refuseDamaged(budget);
    const table = server.budgets.get(nameOf(budget)) ?? new (flaw.table ?? PlainBudgetTable)();
    server.budgets.set(nameOf(budget), table);
    table.record = server.limits.get(JSON.stringify(["budget", budget, undefined]));
    if (!flaw.torn) return operation(table, now());
    const read = table.clone();
    await server.reach(0);
    const result = operation(read, now());
    table.become(read);
    return result;
  }

  return {
    spend: (budget, asked, call) => {
      const run = flaw.spend ?? ((_, proceed) => proceed());
      return request(call, () =>
        change(budget, (table, nowMs) =>
          run({ table, request: asked, nowMs }, (altered = asked) => spend(table, altered, nowMs)),
        ),
      );
    },
    resetBudget: (budget, call) => {
      const run = flaw.reset ?? ((_, proceed) => proceed());
      return request(call, async () => {
        if (flaw.damaged !== "kept") mend(budget);
        await change(budget, (table) => run(table, () => table.forget()));
      });
    },
    inspectBudget: (budget, call) => {
      const run = flaw.inspect ?? ((_, proceed) => proceed());
      return request(call, () => {
        refuseDamaged(budget);
        const [table, nowMs] = [server.budgets.get(nameOf(budget)) ?? new PlainBudgetTable(), now()];
        return run({ table, nowMs }, () => inspectBudget(table, budget, nowMs));
      });
    },
    budgetNames: () => [...server.budgets].filter(([, { budget }]) => budget).map(([name]) => name),
  };
}
