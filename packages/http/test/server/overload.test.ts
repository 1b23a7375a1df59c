import { createConcurrencyLimit } from "@dt/adaptive";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { createServerLimit, type ServerLimitOptions } from "../../src/server/index.ts";
import { request } from "./support/ask.ts";

/** Eight workers that take 50 ms each: 160 requests a second. */
const WORKERS = 8;
const TAKES_MS = 50;
const PER_SECOND = 320;
const SECONDS = 30;

interface Served {
  readonly urgent: boolean;
  readonly tookMs: number;
}

/** A server in virtual time to which twice as much comes as it can do; one request in ten is urgent. */
async function overload(
  options: (runtime: VirtualRuntime) => ServerLimitOptions,
): Promise<{ urgent: number; all: Served[] }> {
  const runtime = new VirtualRuntime();
  const limit = createServerLimit({ ...options(runtime), runtime });
  const all: Served[] = [];
  const queue: (() => void)[] = [];
  let busy = 0;
  let urgentCame = 0;
  const work = (): void => {
    while (busy < WORKERS) {
      const next = queue.shift();
      if (!next) return;
      busy += 1;
      runtime.setTimer(() => {
        busy -= 1;
        next();
        work();
      }, TAKES_MS);
    }
  };
  const arrive = async (urgent: boolean): Promise<void> => {
    const cameMs = runtime.now();
    const admission = await limit.admit(request("", { "x-urgent": urgent ? "1" : "0" }));
    if (!admission.allowed) return;
    queue.push(() => {
      all.push({ urgent, tookMs: runtime.now() - cameMs });
      admission.done(200);
    });
    work();
  };
  while (runtime.now() < SECONDS * 1_000) {
    const urgent = runtime.random() < 0.1;
    if (urgent) urgentCame += 1;
    void arrive(urgent);
    await runtime.advance(-Math.log(1 - runtime.random()) * (1_000 / PER_SECOND));
  }
  return { urgent: urgentCame, all };
}

function quantile(served: readonly Served[], part: number): number {
  const sorted = served.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return sorted[Math.floor(part * (sorted.length - 1))] as number;
}

test.each([
  ["fifo", 300],
  ["lifo", 100],
] as const)(
  "sent twice what it can do, it works as much as ever, in time, on what is urgent first: %s",
  async (order, halfMs) => {
    const { urgent, all } = await overload((runtime) => ({
      limit: createConcurrencyLimit({ runtime, order }),
      priority: ({ header }) => (header("x-urgent") === "1" ? 5 : 0),
      acquireTimeout: "200ms",
    }));
    const capacity = (SECONDS * 1_000 * WORKERS) / TAKES_MS;
    expect(all.length / capacity).toBeGreaterThan(0.95);
    expect(quantile(all, 0.5)).toBeLessThan(halfMs);
    // What it may wait, what it takes, and a little for the time in which the limit is being found.
    expect(quantile(all, 0.99)).toBeLessThan(350);
    expect(all.filter((served) => served.urgent).length / urgent).toBeGreaterThan(0.98);
  },
);

test("without a limit everybody waits for ever longer", async () => {
  const { all } = await overload(() => ({}));
  expect(quantile(all, 0.5)).toBeGreaterThan(5_000);
});
