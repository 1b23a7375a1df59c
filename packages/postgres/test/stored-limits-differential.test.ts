import { isDtError } from "@dt/core";
import {
  inspectBudget,
  inspectPermits,
  type LimitRecordRow,
  MemoryBudgetTable,
  MemoryPermitTable,
  releasePermits,
  reservePermits,
  resetPermits,
  spend,
} from "@dt/core/ledger";
import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import { RandomOperations as RandomSpending } from "@dt-tooling/simulator/budget-operations";
import { RandomOperations as RandomPermits } from "@dt-tooling/simulator/permit-operations";
import { Random } from "@dt-tooling/simulator/random";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresStore, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { TestClock } from "./support/test-clock.ts";
import { writeLimitRecord } from "./support/write-limit-record.ts";

/**
 * Keys of permits and budgets whose limits are stored, against the arithmetic of @dt/core: the same random operations
 * at the same times, some of them with `stored`, and an operator who changes the record.
 */

let server: PostgresServer;
let admin: Admin;
let store: PostgresStore;
let clock: TestClock;
const schema = `stored_differential_${process.pid}`;

beforeAll(async () => {
  server = await startPostgres({ control: true, config: { fsync: "off" } });
  admin = new Admin(server.url);
  store = postgresStore({ connectionString: server.url, schema, timeout: "30s" });
  await store.inspect("g");
  clock = await TestClock.install(admin, schema);
});

afterAll(async () => {
  await store?.close();
  await admin?.close();
  await server?.stop();
});

const START_MS = 1_800_000_000_000;
const seeds = Array.from({ length: 8 }, (_, i) => i + 1);

/** The record of one name, as an operator changes it now and then. */
class Operator {
  readonly #random: Random;
  readonly #kind: "permits" | "budget";
  readonly #name: string;
  readonly #values: readonly string[];
  record: LimitRecordRow | undefined;

  constructor(random: Random, kind: "permits" | "budget", name: string, values: readonly object[]) {
    this.#random = random;
    this.#kind = kind;
    this.#name = name;
    // The last three are damaged.
    this.#values = [...values.map((value) => JSON.stringify(value)), '{"calls|"', '{"burst":1.5,"everyMs":1}', "[]"];
  }

  async act(clockMs: number): Promise<void> {
    const random = this.#random;
    if (!random.chance(0.05)) return;
    const values = random.chance(0.2) ? null : (this.#values[random.integer(0, this.#values.length - 1)] as string);
    const untilMs = values !== null && random.chance(0.4) ? clockMs + random.between(0, 300) : null;
    this.record = { revision: (this.record?.revision ?? 0) + 1, values, untilMs, history: "[]" };
    await writeLimitRecord(admin, schema, { kind: this.#kind, name: this.#name }, this.record);
  }

  stored(): { readonly stored?: boolean } {
    return this.#random.chance(0.6) ? { stored: this.#random.chance(0.9) } : {};
  }
}

/** Refusals are answers too. */
async function outcome<T>(run: () => T | Promise<T>): Promise<T | string> {
  try {
    return await run();
  } catch (error) {
    if (isDtError(error, "DT_PACE_MISMATCH") || isDtError(error, "DT_STORE_DATA")) return error.message;
    throw error;
  }
}

describe("the store and the arithmetic of @dt/core agree", () => {
  test.each(seeds)("on permits, seed %i", { timeout: 60_000 }, async (seed) => {
    const key = `permits ${seed}`;
    const random = new Random(seed);
    const operations = new RandomPermits(seed, START_MS);
    const everyMs = [5, 7.3, 20, 0.1, 1 / 3, 100_000_000].map((ms, i) => ({ everyMs: ms, ...(i % 2 && { burst: i }) }));
    const operator = new Operator(random, "permits", key, everyMs);
    const table = new MemoryPermitTable(undefined, () => operator.record);
    let limited = 0;
    for (let i = 0; i < 400; i++) {
      const operation = operations.next();
      const { clockMs } = operation;
      await operator.act(clockMs);
      await clock.set(clockMs);
      const what = `${i}: ${JSON.stringify([operation, operator.record])}`;
      if (operation.kind === "reset") {
        await store.resetPermits(key);
        resetPermits(table, clockMs);
      } else if (operation.kind === "release") {
        await store.release(key, operation.release);
        releasePermits(table, operation.release, clockMs);
      } else {
        const request = { ...operation.request, ...operator.stored() };
        const mine = await outcome(() => store.reserve(key, request));
        const theirs = await outcome(() => reservePermits(table, request, clockMs));
        expect(mine, what).toEqual(theirs);
        if (typeof theirs === "string") continue;
        operations.answered(operation.request, theirs);
        if (theirs.limit) limited += 1;
      }
      if (i % 3 === 0) expect(await store.inspectPermits(key), what).toEqual(inspectPermits(table, key, clockMs));
    }
    expect(limited).toBeGreaterThan(100);
  });

  test.each(seeds)("on budgets, seed %i", { timeout: 60_000 }, async (seed) => {
    const budget = `budget ${seed}`;
    const random = new Random(seed);
    const operations = new RandomSpending(seed, START_MS);
    const maxes = [3, 10, 40, 100, 1_000, 0.5].map((max, i) => ({
      [["calls", "tokens in", "more"][i % 3] as string]: max,
    }));
    const operator = new Operator(random, "budget", budget, [...maxes, { calls: 7, "tokens in": 60, "not there": 5 }]);
    const table = new MemoryBudgetTable(undefined, () => operator.record);
    let limited = 0;
    for (let i = 0; i < 300; i++) {
      const operation = operations.next();
      const { clockMs } = operation;
      await operator.act(clockMs);
      await clock.set(clockMs);
      const what = `${i}: ${JSON.stringify([operation, operator.record])}`;
      if (operation.kind === "reset") {
        await store.resetBudget(budget);
        table.forget();
      } else {
        const request = { ...operation.request, ...operator.stored() };
        const mine = await outcome(() => store.spend(budget, request));
        const theirs = await outcome(() => spend(table, request, clockMs));
        expect(mine, what).toEqual(theirs);
        if (typeof theirs === "string") continue;
        operations.answered(operation.request, theirs);
        if (theirs.maxes) limited += 1;
      }
      if (i % 3 === 0) expect(await store.inspectBudget(budget), what).toEqual(inspectBudget(table, budget, clockMs));
    }
    expect(limited).toBeGreaterThan(100);
  });
});
