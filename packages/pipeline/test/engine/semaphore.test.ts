import { createGuard } from "@dt/adaptive";
import { createSemaphore, DtError, MemoryStore, type Semaphore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { throttled } from "../../src/index.ts";
import { listed, numbers, through } from "./support.ts";

/** Semaphores of several processes on one store, in virtual time. */
function fleet(processes: number, max: number) {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const semaphores = Array.from({ length: processes }, () => createSemaphore({ name: "ocr", max, store, runtime }));
  let running = 0;
  const seen = { most: 0 };
  /** A call of so many milliseconds that counts for so much. */
  const call = async (cost: number, ms: number): Promise<number> => {
    running += cost;
    seen.most = Math.max(seen.most, running);
    await new Promise<void>((resolve) => void runtime.setTimer(resolve, ms));
    running -= cost;
    return cost;
  };
  return { runtime, semaphores, call, seen };
}

it("calls of several pipelines together are in flight as the semaphore allows, and no record is lost", async () => {
  const { runtime, semaphores, call, seen } = fleet(2, 4);
  const runs = semaphores.map((semaphore) => {
    const records = Array.from({ length: 50 }, (_, n) => n);
    return throttled(records, () => call(1, 10), { semaphore, runtime }).run();
  });
  const statuses = await through(runtime, Promise.all(runs));
  expect(statuses.map(({ success }) => success)).toEqual([50, 50]);
  expect(seen.most).toBe(4);
  await Promise.all(semaphores.map((semaphore) => semaphore.stop()));
});

it("a record that is a batch takes as many slots as it costs", async () => {
  const { runtime, semaphores, call, seen } = fleet(1, 4);
  const semaphore = semaphores[0] as Semaphore;
  const batches = [[1, 2, 3], [4], [5, 6], [7, 8, 9], [10]];
  const run = throttled(batches, (batch) => call(batch.length, 10), {
    semaphore,
    cost: (batch) => batch.length,
    runtime,
  }).run();
  expect(await through(runtime, run)).toMatchObject({ success: 5 });
  expect(seen.most).toBe(4);
  await semaphore.stop();
});

it("a batch that costs more than there are slots ends as an error, and the run goes on", async () => {
  const { runtime, semaphores, call } = fleet(1, 2);
  const semaphore = semaphores[0] as Semaphore;
  const { pipeline, texts } = listed([[1, 2, 3], [4]], async (batch) => call(batch.length, 10), {
    semaphore,
    cost: (batch) => batch.length,
    runtime,
  });
  await through(runtime, pipeline.run());
  expect(texts()).toEqual(["1,2,3 error", "4 -> 1"]);
  await semaphore.stop();
});

it("a call is told by its signal that its slot is lost, and not otherwise", async () => {
  const { runtime, semaphores } = fleet(1, 2);
  const semaphore = semaphores[0] as Semaphore;
  const signals: AbortSignal[] = [];
  const { pipeline, endings } = listed(
    [1, 2],
    (_, { signal, index }) => {
      signals.push(signal);
      if (index === 0) return "done";
      return new Promise<string>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
      );
    },
    { semaphore, runtime },
  );
  const run = pipeline.run();
  await runtime.advance(100);
  await semaphore.stop();
  await runtime.advance(1_000);
  expect(pipeline.status().state).toBe("done");
  await run;
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  expect(endings).toMatchObject([{ kind: "success" }, { kind: "error", cause: { code: "DT_SLOT_LOST" } }]);
});

it("a store that is away for longer than its slots are valid, and then for patience, ends the run with its error", async () => {
  const runtime = new VirtualRuntime();
  const memory = new MemoryStore({ runtime });
  let isAway = false;
  const store = new Proxy(memory, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (isAway) return Promise.reject(new DtError("DT_STORE_UNAVAILABLE", "the store is away"));
        return value.apply(target, given);
      };
    },
  });
  const semaphore = createSemaphore({ name: "ocr", max: 2, store, runtime });
  const call = () => new Promise<void>((resolve) => void runtime.setTimer(resolve, 10));
  const pipeline = throttled(numbers(Number.POSITIVE_INFINITY), call, { semaphore, patience: "10s", runtime });
  const failed = expect(pipeline.run()).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
  await runtime.advance(2_000);
  isAway = true;
  await runtime.advance(14_000);
  expect(pipeline.status()).toMatchObject({ state: "running", error: 0 });
  await runtime.advance(5_000);
  await failed;
  isAway = false;
  const stopped = semaphore.stop();
  await runtime.advance(5_000);
  await stopped;
});

it("a semaphore beside a guard is refused: the guard has its own", () => {
  const { semaphores } = fleet(1, 2);
  const semaphore = semaphores[0] as Semaphore;
  expect(() => throttled([], () => undefined, { guard: createGuard(), semaphore })).toThrow(
    /semaphore is an object; leave/,
  );
});
