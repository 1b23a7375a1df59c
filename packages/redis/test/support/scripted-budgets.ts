import type { BudgetSnapshot, SpendAnswer, SpendRequest } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { TimedBudgets } from "@dt-tooling/simulator/budget-operations";
import type { Redis } from "ioredis";
import { budgetKeys, limitKey } from "../../src/keys.ts";
import { parseBudgetSnapshot, parseSpendAnswer, refuseBudgetReply } from "../../src/reply/budgets.ts";
import { limitArguments, spendArguments } from "../../src/script/arguments.ts";
import { type Script, scriptsWithClock } from "../../src/script/scripts.ts";
import testClock from "./test-clock.lua";

const scripts = scriptsWithClock(testClock);

/** The scripts of budgets on a real server, at the time that the caller says. */
export class ScriptedBudgets implements TimedBudgets {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  async spend(budget: string, request: SpendRequest, clockMs: number): Promise<SpendAnswer> {
    const record = request.stored ? [this.#recordKey(budget)] : [];
    const reply = await this.#run(scripts.spend, budget, spendArguments(request), clockMs, record);
    refuseBudgetReply(reply, budget, request.terms);
    return parseSpendAnswer(reply, request.limits.length);
  }

  async reset(budget: string, clockMs: number): Promise<void> {
    await this.#run(scripts.resetBudget, budget, [], clockMs);
  }

  async inspect(budget: string, clockMs: number): Promise<BudgetSnapshot | undefined> {
    return parseBudgetSnapshot(await this.#run(scripts.inspectBudget, budget, [], clockMs), budget);
  }

  async setLimit(budget: string, record: LimitRecordRow): Promise<void> {
    await this.#redis.eval(scripts.writeLimit.text, 1, this.#recordKey(budget), "", ...limitArguments(null, record));
  }

  #recordKey(name: string): string {
    return limitKey(this.#prefix, { kind: "budget", name });
  }

  async #run(
    script: Script,
    budget: string,
    args: readonly string[],
    clockMs: number,
    others: readonly string[] = [],
  ): Promise<unknown> {
    const { keys: own, channel } = budgetKeys(this.#prefix, budget);
    const keys = [...own, ...others];
    await this.#redis.set("{dt-test}:clock", String(clockMs));
    return this.#redis.eval(script.text, keys.length, ...keys, channel, ...args);
  }
}
