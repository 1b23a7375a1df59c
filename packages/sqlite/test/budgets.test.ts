import { DatabaseSync } from "node:sqlite";
import * as ledger from "@dt/core/ledger";
import { failure } from "@dt-tooling/backends/failure";
import {
  compareBudgets,
  compareEdges,
  REACHABLE,
  type Reached,
  type TimedBudgets,
} from "@dt-tooling/simulator/budget-operations";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { SqliteBudgetTable } from "../src/budgets/sqlite-budget-table.ts";
import { BUSY, Connection } from "../src/connection.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();
const START_MS = 1_800_000_000_000;

function connect(path: string): Connection {
  const opened = Connection.open(path);
  if (opened === BUSY) throw new Error("a new file is locked");
  return opened;
}

function run<T>(
  connection: Connection,
  budget: string,
  clockMs: number,
  act: (table: SqliteBudgetTable) => T,
): Exclude<T, typeof BUSY> {
  const result = connection.transaction("write", (statements) =>
    act(new SqliteBudgetTable(statements, budget, clockMs)),
  );
  if (result === BUSY) throw new Error("the file is locked");
  return result as Exclude<T, typeof BUSY>;
}

/** What is in the file, asked from outside. */
function ask(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

describe("the tables and those of @dt/core agree", () => {
  const everReached = new Set<Reached>();
  let connection: Connection;
  let subject: TimedBudgets;
  beforeEach(() => {
    connection = connect(sandbox.path());
    subject = {
      spend: async (budget, request, clockMs) =>
        run(connection, budget, clockMs, (table) => ledger.spend(table, request, clockMs)),
      reset: async (budget, clockMs) => run(connection, budget, clockMs, (table) => table.forget()),
      inspect: async (budget, clockMs) =>
        run(connection, budget, clockMs, (table) => ledger.inspectBudget(table, budget, clockMs)),
    };
  });
  afterEach(() => connection.close());
  afterAll(() => expect([...everReached].sort()).toEqual([...REACHABLE].sort()));

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])("over 400 random operations, seed %i", async (seed) => {
    for (const what of await compareBudgets(subject, { seed, operations: 400, startMs: START_MS }))
      everReached.add(what);
  });

  it("at the edges that chance seldom comes to", () => compareEdges(subject, START_MS));
});

it("two stores spend one budget, settle it and see what is left", async () => {
  const path = sandbox.path();
  const [one, other] = [sandbox.store(path), sandbox.store(path)];
  const first = spendRequest({ costs: [1, 600.25] }, { terms: "10 a minute" });
  expect(await one.spend("b", first)).toMatchObject({ granted: true, waitMs: 0, rests: [9, 399.75] });
  const second = spendRequest({ costs: [1, 500] });
  expect(await other.spend("b", second)).toMatchObject({ granted: false, limitedBy: 1, rests: [9, 399.75] });
  const settle = [{ id: first.reserve.id, costs: [1, 100.5], measured: true }];
  expect(await other.spend("b", { ...second, settle })).toMatchObject({ granted: true, rests: [8, 399.5] });
  expect(await one.spend("b", { ...second, settle })).toMatchObject({ granted: true, rests: [8, 399.5] });
  expect(await one.inspectBudget("b")).toMatchObject({
    budget: "b",
    open: 1,
    limits: [{ spent: 2 }, { spent: 600.5 }],
  });
  expect((await failure(one.spend("b", spendRequest({}, { terms: "other" })))).code).toBe("DT_PACE_MISMATCH");
  await one.resetBudget("b");
  expect(await other.inspectBudget("b")).toBeUndefined();
  expect(await one.listBudgets()).toEqual({ budgets: [] });
});

describe("leases whose time is over", () => {
  it("are not known any more, though their rows are forgotten only a hundred at a time", () => {
    const path = sandbox.path();
    const connection = connect(path);
    const limits = [{ name: "tokens", max: 1_000, windowMs: 60_000, burst: 1_000 }];
    const spend = (clockMs: number, request: Partial<Parameters<typeof ledger.spend>[1]>) =>
      run(connection, "b", clockMs, (table) => ledger.spend(table, { limits, keeps: [0], ...request }, clockMs));
    const reserve = (i: number, keepMs: number) => ({
      reserve: { id: `lease ${i}`, costs: [1], tier: 0, maxWaitMs: 0, keepMs },
    });
    for (let i = 0; i < 250; i++) spend(START_MS, reserve(i, 10));
    spend(START_MS, reserve(250, 1e6));
    const left = (): unknown => ask(path, "SELECT count(*) AS leases FROM budget_leases")[0]?.["leases"];
    expect(left()).toBe(251);
    const laterMs = START_MS + 10;
    const settle = [{ id: "lease 99", costs: [0], measured: false }];
    expect(spend(laterMs, { settle }).rests).toEqual([749]);
    expect(left()).toBe(151);
    const look = run(connection, "b", laterMs, (table) => ledger.inspectBudget(table, "b", laterMs));
    expect(look?.open).toBe(1);
    // The id is free again, though its row is among the last; its new lease is another one.
    expect(spend(laterMs, reserve(99, 1e6))).toMatchObject({ granted: true, rests: [748] });
    spend(laterMs, {});
    expect(left()).toBe(2);
    connection.close();
  });
});

describe("budgets that mean nothing any more", () => {
  it("are forgotten with their leases, two whenever one is new; those in use stay", async () => {
    const path = sandbox.path();
    const store = sandbox.store(path);
    for (const budget of ["a", "b", "c", "used"]) await store.spend(budget, spendRequest());
    const names = (): unknown[] => ask(path, "SELECT name FROM budgets ORDER BY name").map((row) => row["name"]);
    const database = new DatabaseSync(path);
    database.exec("UPDATE budgets SET keep_until_ms = 1 WHERE name != 'used'");
    database.close();
    await store.spend("used", spendRequest());
    expect(names()).toEqual(["a", "b", "c", "used"]);
    await store.spend("new", spendRequest());
    expect(names()).toHaveLength(3);
    await store.spend("newer", spendRequest());
    expect(names()).toEqual(["new", "newer", "used"]);
    expect(ask(path, "SELECT 1 FROM budget_leases WHERE budget_id NOT IN (SELECT budget_id FROM budgets)")).toEqual([]);
    expect(ask(path, "SELECT count(*) AS leases FROM budget_leases")).toEqual([{ leases: 4 }]);
  });

  it("are kept for a minute beyond their windows and leases, by the machine's clock, which may have gone back", () => {
    const path = sandbox.path();
    const connection = connect(path);
    const keptMs = (budget: string, clockMs: number, request: Parameters<typeof ledger.spend>[1]): number => {
      run(connection, budget, clockMs, (table) => ledger.spend(table, request, clockMs));
      return (
        Number(ask(path, `SELECT keep_until_ms AS until FROM budgets WHERE name = '${budget}'`)[0]?.["until"]) - clockMs
      );
    };
    expect(keptMs("windows", START_MS, spendRequest({ keepMs: 0 }))).toBe(120_000 + 60_000);
    // Not moved by the next ones.
    expect(keptMs("windows", START_MS + 10_000, spendRequest({ keepMs: 0 }))).toBe(120_000 + 50_000);
    expect(keptMs("leases", START_MS, spendRequest({ keepMs: 3_600_000 }))).toBe(3_600_000 + 60_000);
    run(connection, "back", START_MS + 86_400_000, (table) =>
      ledger.spend(table, spendRequest({ keepMs: 0 }), START_MS + 86_400_000),
    );
    // The budget's time is a day ahead of that clock.
    const laterMs = START_MS + 86_400_000 + 120_000;
    run(connection, "back", START_MS, (table) => ledger.spend(table, spendRequest({ keepMs: 0 }), START_MS));
    expect(keptMs("back", laterMs, spendRequest({ keepMs: 0 }))).toBe(120_000 + 60_000);
    connection.close();
  });
});

describe("what another program wrote of a budget", () => {
  it.each([
    ["no JSON", "UPDATE budgets SET row = 'hello'", "something that is not JSON"],
    ["an empty text", "UPDATE budgets SET row = ''", "something that is not JSON"],
    ["of a newer version", "UPDATE budgets SET row = replace(row, 'f1', 'f2')", "format version f2"],
    [
      "a field too many",
      "UPDATE budgets SET row = replace(row, '\"f1\",[', '\"f1\",[1e999,')",
      "6 fields where 5 belong",
    ],
    ["a row that is kept for ever", "UPDATE budgets SET keep_until_ms = 9e999", "keepUntilMs Infinity"],
    ["a lease that is no JSON", "UPDATE budget_leases SET lease = '['", "something that is not JSON"],
    ["a lease without costs", "UPDATE budget_leases SET lease = '[1]'", "0 fields where 6 belong"],
  ])("%s is refused with the remedy, left as it is, and forgotten by a reset", async (_, sql, fault) => {
    const path = sandbox.path();
    const store = sandbox.store(path);
    const request = spendRequest();
    await store.spend("b", request);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const content = () => ask(path, "SELECT * FROM budgets LEFT JOIN budget_leases USING (budget_id)");
    const before = content();
    const { code, message } = await failure(store.spend("b", request));
    expect(code).toBe("DT_STORE_DATA");
    expect(message).toMatch(/^the row of budget b in budget(s|_leases) holds /);
    expect(message).toContain(fault);
    expect(message).toContain("dt repair <store> budget <name>");
    expect(content()).toEqual(before);
    await store.resetBudget("b");
    expect(content()).toEqual([]);
    expect(await store.spend("b", spendRequest())).toMatchObject({ granted: true, rests: [9, 900] });
  });
});
