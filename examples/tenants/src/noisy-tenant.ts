/**
 * A noisy tenant: ten tenants make four calls a second each, and an eleventh makes 1,000. Three processes serve them,
 * each with a database that works on five calls at a time, for 20 ms each. It prints what becomes of the calls on a
 * quiet day, with the noisy tenant, and with a limit for each tenant. Each day is 20 seconds of virtual time.
 */
import { createSemaphore, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { createKeyed } from "@dt/keyed";

const DAY_MS = 20_000;
const QUIET = Array.from({ length: 10 }, (_, n) => `tenant ${n}`);

interface Day {
  readonly isNoisy?: boolean;
  readonly isLimited?: boolean;
}

async function day({ isNoisy = false, isLimited = false }: Day): Promise<object> {
  const runtime = new VirtualRuntime({ seed: 7 });
  const store = new MemoryStore({ runtime }); // For three real processes: redisStore({ url }), or another one.
  const processes = [1, 2, 3].map((n) => ({
    tenants: createKeyed({ name: "tenants", store, limit: { rate: "5/s", burst: 5 }, runtime }),
    database: createSemaphore({ name: `database ${n}`, max: 5, maxWaiters: 100_000, store, runtime }),
  }));
  const waitsMs: number[] = [];
  const counts = { refused: 0, ofNoisy: 0 };

  async function serve(tenant: string, number: number): Promise<void> {
    const { tenants, database } = processes[number % processes.length] as (typeof processes)[number];
    const cameMs = runtime.now();
    if (isLimited && !(await tenants.check(tenant)).allowed) {
      if (tenant !== "noisy") counts.refused++;
      return; // 429, and the database does not hear of it
    }
    await database.run(async () => {
      if (tenant === "noisy") counts.ofNoisy++;
      else waitsMs.push(runtime.now() - cameMs);
      await new Promise<void>((resolve) => runtime.setTimer(resolve, 20));
    });
  }

  /** Calls at even distances, to one process after the other. */
  function calls(tenant: string, everyMs: number): void {
    let number = Math.floor(runtime.random() * processes.length);
    const next = (): void => {
      void serve(tenant, number++);
      if (runtime.now() < DAY_MS) runtime.setTimer(next, everyMs);
    };
    runtime.setTimer(next, 1_000 + runtime.random() * everyMs);
  }

  const started = Promise.all(processes.map(({ database }) => database.start()));
  for (const tenant of QUIET) calls(tenant, 250);
  if (isNoisy) calls("noisy", 1);
  await runtime.advance(2 * DAY_MS); // So long that all who wait are served.
  await started;
  waitsMs.sort((a, b) => a - b);
  return {
    calls: waitsMs.length + counts.refused,
    refused: counts.refused,
    p99: `${Math.round(waitsMs[Math.ceil(0.99 * waitsMs.length) - 1] as number)} ms`,
    longest: `${Math.round(waitsMs.at(-1) as number)} ms`,
    ofNoisy: counts.ofNoisy,
  };
}

console.log("a quiet day       ", JSON.stringify(await day({})));
console.log("a noisy tenant    ", JSON.stringify(await day({ isNoisy: true })));
console.log("with a keyed limit", JSON.stringify(await day({ isNoisy: true, isLimited: true })));
