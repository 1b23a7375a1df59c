import { DatabaseSync } from "node:sqlite";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { expect, it } from "vitest";
import { registration } from "./support/registration.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();

const permit = { count: 1, cost: 1, everyMs: 1_000, burst: 1, maxReserved: 5, keepMs: 60_000, queueMs: 0 };

it("groups, keys and budgets come in pages of 100, in the order of their bytes", async () => {
  const store = sandbox.store(sandbox.path());
  const names = Array.from({ length: 101 }, (_, i) => `name ${String(i).padStart(3, "0")}`);
  for (const name of [...names].reverse()) {
    await store.register(name, registration("a"));
    await store.reserve(name, { id: "a", ...permit });
    await store.spend(name, spendRequest());
  }
  const groups = await store.list();
  expect(groups.groups).toEqual(names.slice(0, 100));
  expect(await store.list(groups.next)).toEqual({ groups: ["name 100"] });
  const keys = await store.listPermits();
  expect(keys.keys).toEqual(names.slice(0, 100));
  expect(await store.listPermits(keys.next)).toEqual({ keys: ["name 100"] });
  const budgets = await store.listBudgets();
  expect(budgets.budgets).toEqual(names.slice(0, 100));
  expect(await store.listBudgets(budgets.next)).toEqual({ budgets: ["name 100"] });
});

it("a release of a key that nobody has used makes none", async () => {
  const store = sandbox.store(sandbox.path());
  await store.release("k", { id: "a", keep: 0 });
  expect(await store.listPermits()).toEqual({ keys: [] });
});

it("an inspection of permits waits for no lock, and writes nothing", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.reserve("k", { id: "a", ...permit, terms: "one a second" });
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const snapshot = await store.inspectPermits("k");
  const pages = [await store.list(), await store.listPermits()];
  other.exec("ROLLBACK");
  other.close();
  expect(snapshot).toMatchObject({ key: "k", terms: "one a second", known: 1, freed: 0, waiting: 0 });
  expect(pages).toEqual([{ groups: [] }, { keys: ["k"] }]);
});

it("an inspection of a budget waits for no lock, and writes nothing", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.spend("b", spendRequest({}, { terms: "10 a minute" }));
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const snapshot = await store.inspectBudget("b");
  const missing = await store.inspectBudget("no budget");
  const page = await store.listBudgets();
  other.exec("ROLLBACK");
  other.close();
  expect(snapshot).toMatchObject({ budget: "b", terms: "10 a minute", open: 1, pausedForMs: 0 });
  expect(missing).toBeUndefined();
  expect(page).toEqual({ budgets: ["b"] });
});
