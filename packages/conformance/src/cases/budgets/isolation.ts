import type { Budget } from "../../budgets/budget.ts";
import { newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { HOSTILE, NEAR_MISSES } from "../../hostile-names.ts";

/** Limits that one request may name. */
const MOST_LIMITS = 16;

/** B10: budgets, limits and leases are told apart by their whole names. */
export const isolation: readonly CaseDefinition[] = casesOf({ rule: "B10", needs: ["budgets"] }, [
  {
    name: "budgets with hostile names are budgets like any other, and see no other budget",
    async run(context) {
      const unique = context.group();
      await apart(
        context,
        HOSTILE.map((text) => `${text}${unique}${text}`),
      );
    },
  },
  {
    name: "budgets whose names differ only in case, space, accents, their last byte, or by one being the beginning of the other are different budgets",
    async run(context) {
      const unique = context.group();
      const ascii = unique.padEnd(1_023, "x");
      await apart(context, [
        ...NEAR_MISSES.map((text) => `${text}-${unique}-${text}`),
        ...["", ":", ":1", ":leases", ":budget", "/", "%", "_"].map((end) => `${unique}${end}`),
        `{${unique}}`,
        `{${unique}}:budget`,
        ...[`${ascii}a`, `${ascii}b`, ascii],
      ]);
    },
  },
  {
    name: "limits with hostile names, and of 128 characters, are limits like any other",
    async run(context) {
      const long = [`${"x".repeat(127)}a`, `${"x".repeat(127)}b`, "日".repeat(128)];
      const names = [...new Set([...HOSTILE, ...NEAR_MISSES, ...long])];
      const windowMs = context.ms(60_000);
      for (let from = 0; from < names.length; from += MOST_LIMITS) {
        const limits = names
          .slice(from, from + MOST_LIMITS)
          .map((name, i) => ({ name, max: 100 + i, windowMs, burst: 100 + i }));
        const budget = await newBudget(context, { limits });
        const first = await budget.take(limits.map((_, i) => i));
        await budget.take(limits.map(() => 1));
        await budget.rests(
          limits.map(() => 99),
          `of limits like ${JSON.stringify(limits[0]?.name)}`,
        );
        await budget.settle(
          first,
          limits.map(() => 0),
        );
        await budget.rests(
          limits.map((_, i) => 99 + i),
          "after a lease of all of them was settled",
        );
      }
    },
  },
  {
    name: "leases with hostile ids, and of 1,024 bytes in a budget of 1,024 bytes, are leases like any other",
    async run(context) {
      const long = [`${"x".repeat(1_023)}a`, `${"x".repeat(1_023)}b`];
      const ids = [...new Set([...HOSTILE.slice(0, 50), ...NEAR_MISSES, ...long])];
      const windowMs = context.ms(60_000);
      const limits = [{ name: "tokens", max: 10_000, windowMs, burst: 10_000 }];
      const budget = await newBudget(context, { limits }, context.group().padEnd(1_024, "b"));
      let spent = 0;
      for (const [i, id] of ids.entries()) {
        await budget.take([i], { id });
        spent += i;
      }
      for (const [i, id] of ids.entries()) {
        if (i % 3 !== 0 && !long.includes(id)) continue;
        await budget.settle({ id }, [0], false);
        spent -= i;
      }
      await budget.rests([10_000 - spent], "after some of the leases were settled");
    },
  },
  {
    name: "one id in two budgets is a lease in each",
    async run(context) {
      const [one, two] = [await newBudget(context), await newBudget(context)];
      const lease = await one.take([1, 300], { id: "same" });
      await two.take([1, 500], { id: "same" });
      await two.settle({ id: "same" }, [1, 0]);
      await one.rests([9, 700], "after the same id was settled in another budget");
      await one.settle(lease, [1, 200]);
      await two.rests([9, 1_000], "after the same id was settled in the first budget");
    },
  },
  {
    name: "a budget, a key of permits and a group of the same name have nothing to do with each other",
    needs: ["budgets", "permits", "ledger"],
    async run(context) {
      const name = context.group();
      const budget = await newBudget(context, {}, name);
      const key = await context.permitKey({}, name);
      const member = context.member(await context.store(), name);
      await budget.take([1, 100]);
      const first = await key.take();
      await member.join();
      await budget.rests([9, 900], "after a member joined the group of that name");
      const second = await key.take();
      context.that(second.atMs > first.atMs, "a key has lost what was reserved of it", "P9");
      context.equal((await member.beat()).held, 100, "held of a member whose group's name is a budget", "R15");
      await member.leave();
      await budget.rests([9, 900], "after it left");
    },
  },
]);

/** Every budget is new to its first caller, and has its own charges and leases afterwards. */
async function apart(context: CaseContext, names: readonly string[]): Promise<void> {
  const budgets: Budget[] = [];
  for (const name of new Set(names)) budgets.push(await newBudget(context, {}, name));
  await inPortions(budgets, async (budget, index) => {
    const { answer } = await budget.take([1, index], { id: "same-1" });
    context.equal(`${answer.rests}`, `9,${1_000 - index}`, `units left of the new budget ${shown(budget)}`);
  });
  await inPortions(budgets, async (budget, index) => {
    if (index % 2 === 0) await budget.settle({ id: "same-1" }, [1, 0]);
  });
  await inPortions(budgets, (budget, index) =>
    budget.rests([9, index % 2 === 0 ? 1_000 : 1_000 - index], `of the budget ${shown(budget)}`),
  );
}

/** Not all at once, since a store with one connection answers one after the other. */
async function inPortions(
  budgets: readonly Budget[],
  run: (budget: Budget, index: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < budgets.length; from += 16)
    await Promise.all(budgets.slice(from, from + 16).map((budget, index) => run(budget, from + index)));
}

function shown({ name }: Budget): string {
  return JSON.stringify(name.slice(0, 80));
}
