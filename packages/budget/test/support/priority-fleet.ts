import { MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { type Budget, createBudget } from "../../src/index.ts";

const WARM_UP_MS = 90_000;
const MEASURED_MS = 120_000;
/** Calls a second that are urgent, of the ten that the limits allow. */
const URGENT_RATE = 1;
const BATCH_PROCESSES = 2;
const BATCH_LANES = 40;

export interface PriorityOptions {
  readonly seed: number;
  /** The part of every limit that batch leaves to urgent calls; none without it. */
  readonly keep?: number;
}

export interface PriorityFigures {
  /** How long urgent calls waited, in milliseconds. */
  readonly urgentMedianMs: number;
  readonly urgentP99Ms: number;
  /** Calls a minute. */
  readonly urgent: number;
  readonly batch: number;
}

/** The value that a part of the values does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] as number;
}

/** Two processes whose batch calls (priority -5) take all that there is, and one whose calls are urgent (5). */
export async function priorityFleet({ seed, keep }: PriorityOptions): Promise<PriorityFigures> {
  const runtime = new VirtualRuntime({ seed });
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, ms));
  const store = new MemoryStore({ runtime });
  const budget = (): Budget<"requests" | "tokens"> =>
    createBudget({
      name: "llm",
      limits: { requests: { rate: "600/min" }, tokens: { rate: "60000/min" } },
      ...(keep !== undefined && { holdback: [{ below: 0, keep }] }),
      ...{ store, runtime },
    });
  const urgentMs: number[] = [];
  let [batch, over] = [0, false];
  const measures = (): boolean => runtime.now() >= WARM_UP_MS;
  const call = async (from: Budget<"requests" | "tokens">, priority: number): Promise<number> => {
    const lease = await from.acquire({ tokens: 100 }, { priority });
    const { waitedMs } = lease;
    await sleep(300 + runtime.random() * 2_700);
    lease.settle({ tokens: 60 + runtime.random() * 80 });
    return waitedMs;
  };
  const lane = async (from: Budget<"requests" | "tokens">): Promise<void> => {
    while (!over) {
      await call(from, -5);
      if (measures()) batch += 1;
    }
  };
  const come = async (to: Budget<"requests" | "tokens">): Promise<void> => {
    while (!over) {
      await sleep((-1_000 * Math.log(1 - runtime.random())) / URGENT_RATE);
      const counts = measures();
      void call(to, 5).then(
        (waitedMs) => counts && urgentMs.push(waitedMs),
        () => undefined,
      );
    }
  };
  const [urgent, ...busy] = Array.from({ length: 1 + BATCH_PROCESSES }, budget) as [Budget<"requests" | "tokens">];
  for (const one of busy as Budget<"requests" | "tokens">[])
    for (let n = 0; n < BATCH_LANES; n++) void lane(one).catch(() => undefined);
  void come(urgent);
  for (let ms = 0; ms < WARM_UP_MS + MEASURED_MS; ms += 1_000) await runtime.advance(1_000);
  over = true;
  const minutes = MEASURED_MS / 60_000;
  const figures = {
    urgentMedianMs: quantile(urgentMs, 0.5),
    urgentP99Ms: quantile(urgentMs, 0.99),
    urgent: urgentMs.length / minutes,
    batch: batch / minutes,
  };
  await Promise.all([urgent, ...busy].map((one) => one.stop()));
  return figures;
}
