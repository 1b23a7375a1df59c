import type { SpendOperation } from "@dt/conformance";
import type { SpendRequest } from "@dt/core";
import { spend } from "@dt/core/ledger";
import { seededRandom } from "../../src/bound-case.ts";
import { PlainBudgetTable } from "../../src/budgets/plain-budget-table.ts";

export interface SpendHistoryOptions {
  readonly seed: number;
  readonly operations: number;
  readonly clients: number;
  /** Part of the calls whose answer is lost. */
  readonly lost?: number;
  /** Settlements that are answered and never done. */
  readonly forgetSettlements?: boolean;
  /** The store's clock counts whole milliseconds, so that many answers have one time. */
  readonly wholeMs?: boolean;
}

const WINDOW_MS = 2_000;
const LIMITS = [
  { name: "requests", max: 20, windowMs: WINDOW_MS, burst: 8 },
  { name: "tokens", max: 1_000, windowMs: WINDOW_MS, burst: 500 },
];

/**
 * A history as a sound ledger makes it: clients call one after the other, each on its own; a call takes effect at a
 * random time between its start and its end. Calls of different clients overlap.
 */
export function soundSpendHistory(options: SpendHistoryOptions): SpendOperation[] {
  const random = seededRandom(options.seed, "history");
  const table = new PlainBudgetTable();
  const free = Array.from({ length: options.clients }, () => 1_000_000 + random() * 10);
  const calls = Array.from({ length: options.operations }, () => {
    const client = Math.floor(random() * options.clients);
    const startMs = free[client] as number;
    const atMs = startMs + random() * 8;
    const endMs = atMs + random() * 8;
    free[client] = endMs + random() * 12;
    return { startMs, atMs, endMs };
  });
  const open: { readonly id: string; readonly costs: readonly number[] }[] = [];
  const operations = calls
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ startMs, atMs, endMs }, index): SpendOperation => {
      const lost = random() < (options.lost ?? 0);
      const reserve = {
        id: `l${index}`,
        costs: [1, Math.floor(random() * 200)],
        tier: 0,
        maxWaitMs: random() < 0.3 ? 0 : 1_500,
        keepMs: 10_000,
      };
      const settled = random() < 0.5 ? open.splice(Math.floor(random() * open.length), 1) : [];
      const settle = settled.map(({ id, costs }) => ({
        id,
        costs: costs.map((cost) => Math.floor(cost * random())),
        measured: random() < 0.5,
      }));
      const request: SpendRequest = { limits: LIMITS, keeps: [0], settle, reserve };
      const served = options.forgetSettlements ? { ...request, settle: [] } : request;
      const answer = spend(table, served, options.wholeMs ? Math.floor(atMs) : atMs);
      if (answer.granted) open.push(reserve);
      return { startMs, endMs: lost ? undefined : endMs, request, answer: lost ? undefined : answer };
    });
  return operations.sort((a, b) => a.startMs - b.startMs);
}
