// A real process with a clock of its own that spends of a budget, one call after the other, and writes down each, one
// line, with the machine's monotonic time in milliseconds: what the call cost, its instant on the budget's clock, and
// between which times that instant was. Begins when told to and ends when it has made all its calls.
import { type BudgetLedger, type Runtime, systemRuntime } from "@dt/core";
import type { BudgetWorkerOptions } from "./budget-options.ts";

const {
  module: path,
  factory,
  store: storeOptions,
  id,
  budget,
  limit,
  clock,
  calls,
} = JSON.parse(process.argv[2] as string) as BudgetWorkerOptions;
const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;
const runtime: Runtime = {
  now: () => machineMs() * clock.rate + clock.offsetMs,
  setTimer: (callback, delayMs, options) => systemRuntime.setTimer(callback, delayMs / clock.rate, options),
  random: Math.random,
};
const module = (await import(path)) as Record<string, (options: object) => BudgetLedger & { close(): Promise<void> }>;
const store = (module[factory] as NonNullable<(typeof module)[string]>)({ ...storeOptions, runtime });
const say = (...words: readonly (string | number)[]): unknown => process.stdout.write(`${words.join(" ")}\n`);
say("ready");
await new Promise((resolve) => process.stdin.once("data", resolve));
let failures = 0;
let settle: { id: string; costs: number[]; measured: boolean }[] = [];
for (let call = 0; call < calls; ) {
  const cost = Math.ceil(limit.max / 10);
  const reserve = { id: `${id}-${call}`, costs: [cost], tier: 0, maxWaitMs: 60_000, keepMs: 60_000 };
  try {
    const sentMs = machineMs();
    const { atMs, storeTimeMs } = await store.spend(budget, { limits: [limit], keeps: [0], settle, reserve });
    const answeredMs = machineMs();
    // Not waitMs: a call that is made again is answered the wait of before.
    const waitMs = Math.max(0, atMs - storeTimeMs);
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, waitMs));
    // Every second call costs less than was reserved.
    const spent = call % 2 === 0 ? cost : cost / 2;
    say("spent", spent, atMs, sentMs + waitMs / clock.rate, answeredMs + waitMs / clock.rate);
    settle = [{ id: reserve.id, costs: [spent], measured: false }];
    call += 1;
  } catch (error) {
    // The store was busy, which is the store's business; but not for ever. A repeat is answered the same lease.
    say("failed", String(error).replaceAll("\n", " "));
    failures += 1;
    if (failures > calls) throw error;
  }
}
await store.close();
process.exit(0);
