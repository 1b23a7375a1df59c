import { createConcurrencyLimit, fixed } from "@dt/adaptive";
import { VirtualRuntime } from "@dt/core/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Ending, type PipelineOptions, throttled } from "../../src/index.ts";
import { httpError, through } from "./support.ts";

const scenario = fc.record({
  seed: fc.nat(),
  records: fc.integer({ min: 0, max: 120 }),
  concurrency: fc.integer({ min: 1, max: 9 }),
  buffer: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  groups: fc.integer({ min: 1, max: 5 }),
  interval: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
  keys: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  rejected: fc.constantFrom("dead-letter" as const, "drop" as const, "retry" as const),
  refusing: fc.double({ min: 0, max: 0.9, noNaN: true }),
  abortAtMs: fc.option(fc.integer({ min: 0, max: 3_000 }), { nil: undefined }),
  sourceFailsAt: fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }),
});

it("whatever comes, is refused, fails, waits and is aborted: each record that was begun ends once, in order, within the bounds", async () => {
  const check = async (world: typeof scenario extends fc.Arbitrary<infer T> ? T : never): Promise<void> => {
    const runtime = new VirtualRuntime({ seed: world.seed });
    const later = (ms: number): Promise<void> => new Promise((resolve) => void runtime.setTimer(resolve, ms));
    const controller = new AbortController();
    if (world.abortAtMs !== undefined) runtime.setTimer(() => controller.abort(), world.abortAtMs);
    async function* source(): AsyncGenerator<number> {
      for (let n = 0; n < world.records; n++) {
        if (n === world.sourceFailsAt) throw new Error("the source fails");
        if (runtime.random() < 0.3) await later(runtime.random() * 100);
        yield n;
      }
    }
    let underWay = 0;
    let most = 0;
    let mostHeld = 0;
    const answered = new Map<number, number>();
    const call = async (n: number): Promise<string> => {
      underWay += 1;
      most = Math.max(most, underWay);
      const { waiting } = pipeline.status();
      mostHeld = Math.max(mostHeld, waiting);
      if (runtime.random() < 0.7) await later(runtime.random() * 80);
      underWay -= 1;
      answered.set(n, (answered.get(n) ?? 0) + 1);
      if (runtime.random() < world.refusing) throw httpError(429);
      if (runtime.random() < 0.1) throw new Error("fails");
      return `answer ${n}`;
    };
    const endings: Ending<number, string>[] = [];
    const done = new Set<number>();
    const write = async (ending: Ending<number, string>): Promise<void> => {
      if (runtime.random() < 0.5) await later(runtime.random() * 50);
      endings.push(ending);
    };
    const { keys, limit, concurrency, buffer, interval, groups, rejected } = world;
    const options: PipelineOptions<number, string> = {
      ...{ success: write, throttled: write, error: write, concurrency, groups, rejected },
      ...(buffer !== undefined && { buffer }),
      ...(interval !== undefined && { interval }),
      ...(keys !== undefined && { order: (n: number) => n % keys }),
      ...(limit !== undefined && { limit: createConcurrencyLimit({ algorithm: fixed(limit), runtime }) }),
      checkpoint: { begin: () => undefined, ended: (index) => void done.add(index), save: async () => undefined },
      signal: controller.signal,
      runtime,
    };
    const pipeline = throttled(source(), call, options);
    const failure = await through(runtime, pipeline.run()).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const status = pipeline.status();
    const seen = new Set(endings.map(({ input }) => input));

    expect([undefined, "the source fails"]).toContain(failure);
    if (failure === undefined && status.state === "done") expect(done.size).toBe(world.records);
    expect(most).toBeLessThanOrEqual(Math.min(concurrency, limit ?? concurrency));
    expect(mostHeld).toBeLessThanOrEqual(buffer ?? (interval || keys ? 1_000 : concurrency));
    // One ending each; a call is made once; whoever was answered has an ending; and what has one is done.
    expect(seen.size).toBe(endings.length);
    for (const times of answered.values()) expect(times).toBe(1);
    for (const n of answered.keys()) expect(seen.has(n)).toBe(true);
    expect(done.size).toBe(endings.length + status.dropped);
    for (const n of seen) expect(done.has(n)).toBe(true);
    const { success, throttledByClient, throttledByCallee, error, dropped } = status;
    expect(success + throttledByClient + throttledByCallee + error + dropped).toBe(done.size);
    for (let index = 0; index < status.lowWater; index++) expect(done.has(index)).toBe(true);
    expect(done.has(status.lowWater)).toBe(false);
    if (keys === undefined) return;
    for (let key = 0; key < keys; key++) {
      const of = endings.map(({ input }) => input).filter((n) => n % keys === key);
      expect(of).toEqual(of.toSorted((a, b) => a - b));
    }
  };
  await fc.assert(fc.asyncProperty(scenario, check), { numRuns: 60 });
});
