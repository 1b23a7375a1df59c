import { type RedisCluster, type RedisServer, startRedisCluster, until } from "@dt-tooling/backends";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RedisStoreOptions } from "../src/index.ts";
import { budgetKeys } from "../src/keys.ts";
import { openStore } from "./support/keep.ts";
import { readmeClusterRights, readmeUser } from "./support/readme-user.ts";

/** Budgets in a Redis Cluster of three nodes, on real processes. */

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startRedisCluster({ config: { "cluster-require-full-coverage": "no" } });
});

afterAll(() => cluster?.stop());

const onCluster = (): RedisStoreOptions => ({
  cluster: { nodes: cluster.nodes.map(({ host, port }) => ({ host, port })) },
});
const slotOf = (budget: string): Promise<number> => cluster.slotOf(budgetKeys("dt", budget).keys[0] as string);

async function ask(node: RedisServer, ...command: [string, ...string[]]): Promise<unknown> {
  const admin = new Redis(node.url, { autoResendUnfulfilledCommands: false });
  try {
    return await admin.call(...command);
  } finally {
    admin.disconnect();
  }
}

/** A budget whose slot a node owns. */
async function budgetOn(node: RedisServer, name: string): Promise<string> {
  for (let i = 0; ; i++) {
    const budget = `${name}-${i}`;
    if ((await cluster.ownerOf(await slotOf(budget))) === node) return budget;
  }
}

test.each([
  "{",
  "}",
  "{}",
  "a}b{c",
  "{{a}}",
  "100%7B",
  "dt:{g}:budget",
  "ünï 🚦",
  " \r\n\t*?[x]\\:",
  "x".repeat(1_024),
])("all keys of a budget are in one slot: %s", async (budget) => {
  const slots = await Promise.all(budgetKeys("dt", budget).keys.map((key) => cluster.slotOf(key)));
  expect(new Set(slots).size).toBe(1);
});

test("budgets live on every node, and a list has those of all", async () => {
  const store = openStore(onCluster());
  const names: string[] = [];
  for (const node of cluster.nodes) {
    const budget = await budgetOn(node, "live");
    const request = spendRequest();
    expect(await store.spend(budget, request)).toMatchObject({ granted: true, rests: [9, 900] });
    expect(await ask(node, "EXISTS", ...(budgetKeys("dt", budget).keys as [string, string]))).toBe(2);
    names.push(budget);
  }
  const listed: string[] = [];
  for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
    const page = await store.listBudgets(next);
    listed.push(...page.budgets);
    next = page.next;
  }
  expect(listed.sort()).toEqual(names.sort());
  for (const budget of names) await store.resetBudget(budget);
  expect(await store.inspectBudget(names[0] as string)).toBeUndefined();
});

test("a slot that moves while a budget is spent costs no call, and loses no unit", async () => {
  const [from, to] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
  const budget = await budgetOn(from, "moved");
  const store = openStore(onCluster());
  const limits = [{ name: "calls", max: 1e6, windowMs: 600_000, burst: 1e6 }];
  let spent = 0;
  let moved = false;
  const spending = (async () => {
    for (let settled: string | undefined; !moved || spent < 200; spent++) {
      const settle = settled === undefined ? [] : [{ id: settled, costs: [1], measured: true }];
      const request = { ...spendRequest({ costs: [3] }, { settle }), limits };
      settled = request.reserve.id;
      expect(await store.spend(budget, request)).toMatchObject({ granted: true, rests: [1e6 - spent - 3] });
    }
  })();
  await until("the budget is spent", 10_000, () => spent > 50);
  await cluster.moveSlot(await slotOf(budget), from, to);
  moved = true;
  await spending;
  expect(await store.inspectBudget(budget)).toMatchObject({ open: 1, limits: [{ spent: spent + 2 }] });
});

test("an ACL user with the rights that the README gives for a Cluster can do everything", async () => {
  const rule = `${readmeUser("dt", "throttle", "secret")} ${readmeClusterRights()}`.split(" ");
  for (const node of cluster.nodes) await ask(node, "ACL", "SETUSER", ...rule);
  const { nodes } = onCluster().cluster as { nodes: { host: string; port: number }[] };
  const store = openStore({
    cluster: { nodes, options: { redisOptions: { username: "throttle", password: "secret" } } },
  });
  const request = spendRequest();
  await store.spend("acl", request);
  const settle = [{ id: request.reserve.id, costs: [1, 0], measured: true }];
  expect(await store.spend("acl", spendRequest({}, { settle }))).toMatchObject({ rests: [8, 900] });
  expect(await store.inspectBudget("acl")).toMatchObject({ open: 1 });
  await store.resetBudget("acl");
});
