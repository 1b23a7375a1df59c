import { MemoryStore, type Runtime } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { type Budget, createBudget } from "../../src/index.ts";

const WINDOW_MS = 60_000;
/** What the callee allows in any minute. */
const REQUESTS = 600;
const TOKENS = 60_000;
/** Calls a second that each process wants to make; the first one makes as many as it can. */
const RATES = [Number.POSITIVE_INFINITY, 1.4, 0.4, 0.1, 0.1];
const WARM_UP_MS = 90_000;
const MEASURED_MS = 240_000;

export interface FleetOptions {
  readonly seed: number;
  /** The mean by which timers of the processes are late, in milliseconds. */
  readonly lateMs?: number;
  /** Estimates are wrong by a factor from 0.3 to 3, and calls take 5 s. Otherwise outputs alone are estimated. */
  readonly wrongEstimates?: boolean;
}

export interface FleetFigures {
  /** Of the callee's limits, in per cent: the one that binds. */
  readonly used: number;
  readonly refused: number;
  /** How long calls of the four light processes waited, in milliseconds. */
  readonly lightMedianMs: number;
  readonly lightP99Ms: number;
  readonly requestsPerCall: number;
}

interface Charge {
  readonly atMs: number;
  tokens: number;
}

/**
 * A fleet of five processes that share an LLM quota, in virtual time. The callee counts in a sliding minute: the prompt
 * as a call begins, the output once it has ended.
 */
export async function llmFleet({ seed, lateMs = 0, wrongEstimates = false }: FleetOptions): Promise<FleetFigures> {
  const runtime = new VirtualRuntime({ seed });
  const random = (): number => runtime.random();
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, ms));
  const exponential = (mean: number): number => -mean * Math.log(1 - random());
  const ofProcess: Runtime = {
    now: () => runtime.now(),
    random,
    setTimer: (callback, ms) => runtime.setTimer(callback, ms + (lateMs === 0 ? 0 : exponential(lateMs))),
  };
  const store = new MemoryStore({ runtime });
  const budgets = RATES.map(() =>
    createBudget({
      name: "llm",
      limits: { requests: { rate: "600/min" }, tokens: { rate: "60000/min" } },
      store,
      runtime: ofProcess,
    }),
  );
  const window: Charge[] = [];
  let inWindow = 0;
  const calls: { atMs: number; process: number; ok: boolean; waitedMs: number; charge?: Charge }[] = [];

  const callee = async (
    prompt: number,
    output: number,
    process: number,
    bornMs: number,
  ): Promise<number | undefined> => {
    const atMs = runtime.now();
    while (window[0] && window[0].atMs <= atMs - WINDOW_MS) inWindow -= (window.shift() as Charge).tokens;
    const ok = window.length < REQUESTS && inWindow + prompt <= TOKENS;
    const charge = { atMs, tokens: prompt };
    calls.push({ atMs, process, ok, waitedMs: atMs - bornMs, charge });
    if (!ok) return undefined;
    window.push(charge);
    inWindow += prompt;
    await sleep(wrongEstimates ? 5_000 : 300 + random() * 2_700);
    charge.tokens += output;
    if (window.includes(charge)) inWindow += output;
    return prompt + output;
  };

  let over = false;
  const call = async (budget: Budget<"requests" | "tokens">, process: number): Promise<void> => {
    const bornMs = runtime.now();
    const prompt = 20 + Math.floor(random() * 61);
    const output = Math.min(400, Math.ceil(exponential(50)));
    const tokens = wrongEstimates ? (prompt + output) * 0.3 * 10 ** random() : prompt + 50;
    const lease = await budget.acquire({ tokens });
    const used = await callee(prompt, output, process, bornMs);
    lease.settle({ tokens: used ?? 0 });
    if (used === undefined) await sleep(1_000);
  };
  const greedy = async (budget: Budget<"requests" | "tokens">, process: number): Promise<void> => {
    while (!over) await call(budget, process);
  };
  const light = async (budget: Budget<"requests" | "tokens">, process: number, rate: number): Promise<void> => {
    while (!over) {
      await sleep(exponential(1_000 / rate));
      void call(budget, process).catch(() => undefined);
    }
  };
  for (const [process, budget] of budgets.entries()) {
    const rate = RATES[process] as number;
    const lanes = wrongEstimates ? 80 : 40;
    if (rate < Number.POSITIVE_INFINITY) void light(budget, process, rate);
    else for (let n = 0; n < lanes; n++) void greedy(budget, process).catch(() => undefined);
  }
  for (let ms = 0; ms < WARM_UP_MS + MEASURED_MS; ms += 1_000) await runtime.advance(1_000);
  over = true;

  const measured = calls.filter(({ atMs, ok }) => ok && atMs >= WARM_UP_MS);
  const minutes = MEASURED_MS / 60_000;
  const tokens = measured.reduce((sum, { charge }) => sum + (charge?.tokens ?? 0), 0);
  const waits = measured
    .filter((call) => call.process > 0)
    .map(({ waitedMs }) => waitedMs)
    .sort((a, b) => a - b);
  const of = (part: number): number => waits[Math.floor(waits.length * part)] as number;
  const figures = {
    used: 100 * Math.max(measured.length / minutes / REQUESTS, tokens / minutes / TOKENS),
    refused: calls.filter(({ ok }) => !ok).length,
    lightMedianMs: of(0.5),
    lightP99Ms: of(0.99),
    requestsPerCall: budgets.reduce((sum, budget) => sum + budget.status().requests, 0) / calls.length,
  };
  await Promise.all(budgets.map((budget) => budget.stop()));
  return figures;
}
