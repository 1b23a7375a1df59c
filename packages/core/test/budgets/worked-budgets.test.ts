import { expect, it } from "vitest";
import { spend } from "../../src/budgets/budgets.ts";
import { inspectBudget } from "../../src/budgets/inspect-budget.ts";
import { MemoryBudgetTable } from "../../src/budgets/memory-budget-table.ts";
import type { SpendAnswer, SpendRequest } from "../../src/contract/budget-ledger.ts";
import type { LimitRecordHead } from "../../src/limits/limit-row.ts";
import { number, page, rowsOf, shown } from "../ledger/support/contract-page.ts";

/** The numbers of docs/store-contract.md on budgets, beside what the arithmetic makes of them. */

const WINDOW_MS = 60_000;
/** The beginning of a slot. */
const START_MS = 1_000_000 * WINDOW_MS;

const STEP =
  /^at ([\d,]+) (?:(\w) takes ([\d,]+), ([\d,]+)(?: of tier (\d))?(, by force)?(?:, waits ([\d,]+))?(?:, pauses ([\d,]+))?(, without `stored`)?|settles (\w) at ([\d,]+), ([\d,]+)|states ([\d,]+) tokens for ([\d,]+)|the limit is (removed|set to ([\d,]+) tokens))$/;

/** A budget of 10 requests and 1,000 tokens a minute, and what is asked of it. */
class Budget {
  #record: LimitRecordHead | undefined;
  readonly #table = new MemoryBudgetTable(undefined, () => this.#record);
  readonly #limits: SpendRequest["limits"];
  readonly #keeps: readonly number[];
  readonly #stored: boolean;

  constructor(burst = 1_000, keeps: readonly number[] = [0], stored = false) {
    this.#stored = stored;
    this.#limits = [
      { name: "requests", max: 10, windowMs: WINDOW_MS, burst: 10 },
      { name: "tokens", max: 1_000, windowMs: WINDOW_MS, burst },
    ];
    this.#keeps = keeps;
  }

  spend(atMs: number, request: Partial<SpendRequest>): SpendAnswer {
    return spend(this.#table, { limits: this.#limits, keeps: this.#keeps, ...request }, START_MS + atMs);
  }

  margin(atMs: number): number {
    return inspectBudget(this.#table, "any", START_MS + atMs)?.limits[1]?.margin ?? 0;
  }

  /** Does what the first cell of a row says, and gives the row as it should be. */
  row(step: string): string[] {
    const [, at, id = "", requests, tokens, tier, force, waits, pauses, own, ...others] = STEP.exec(step) ?? [];
    if (!at) throw new Error(`no step: ${step}`);
    const [settled, spentRequests, spentTokens, rest, resetMs, change, max] = others;
    if (change) {
      const values = max === undefined ? null : JSON.stringify({ tokens: number(max) });
      this.#record = { revision: (this.#record?.revision ?? 0) + 1, values, untilMs: null };
      return [step, "", "", ""];
    }
    const reserve = {
      id,
      costs: [number(requests), number(tokens)],
      tier: number(tier),
      maxWaitMs: waits ? number(waits) : 1e9,
      keepMs: 600_000,
      force: force !== undefined,
    };
    const costs = [number(spentRequests), number(spentTokens)];
    const answer = this.spend(number(at), {
      ...(id && { reserve }),
      ...(settled && { settle: [{ id: settled, costs, measured: false }] }),
      ...(rest && { stated: [{ limit: 1, rest: number(rest), resetMs: number(resetMs) }] }),
      pauseMs: number(pauses),
      stored: this.#stored && !own,
    });
    const { granted, atMs, waitMs, limitedBy, rests } = answer;
    const dueMs = granted ? atMs - START_MS : number(at) + waitMs;
    const instant = id === "" ? "" : `${granted ? "" : "refused, due at "}${shown(dueMs)}`;
    const names = ["a pause", "requests", "tokens"];
    return [
      step,
      instant,
      limitedBy === undefined ? "" : (names[limitedBy + 1] as string),
      rests.map(shown).join(", "),
    ];
  }
}

/** The tables below a heading that have requests, one after the other. */
function tables(heading: string): string[][][] {
  const section = page.split("\n### ").find((text) => text.startsWith(heading)) ?? "";
  return section
    .split("| request |")
    .slice(1)
    .map((text) => {
      const lines = text.split("\n");
      const rows = lines.slice(2, lines.indexOf(""));
      return rows.map((row) =>
        row
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    });
}

it.each<[heading: string, table: number, make: () => Budget]>([
  ["B3", 0, () => new Budget()],
  ["B4", 0, () => new Budget(100)],
  ["B4", 1, () => new Budget(1_000, [0, 0.2])],
  ["B5", 0, () => new Budget()],
  ["B6", 0, () => new Budget()],
  ["B7", 0, () => new Budget()],
  ["B13", 0, () => new Budget(1_000, [0], true)],
])("%s: the requests of its table %i", (heading, table, make) => {
  const rows = tables(heading)[table] ?? [];
  expect(rows.length).toBeGreaterThan(2);
  const budget = make();
  expect(rows.map(([step = ""]) => budget.row(step))).toEqual(rows);
});

it("B6: what is kept free", () => {
  const rows = rowsOf("B6", "reserved");
  const seen = rows.map(([reserved = "", spent = "", after = ""]) => {
    const budget = new Budget();
    const reserve = { id: "a", tier: 0, maxWaitMs: 0, keepMs: 600_000, costs: [1, number(reserved)] };
    budget.spend(0, { reserve });
    const settledMs = number(after);
    budget.spend(settledMs, { settle: [{ id: "a", costs: [1, number(spent)], measured: true }] });
    const kept = [settledMs, settledMs + WINDOW_MS / 2].map((ms) => shown(Math.round(budget.margin(ms))));
    return [reserved, spent, after, ...kept];
  });
  expect(seen).toEqual(rows);
});
