import { describe, expect, it } from "vitest";
import { type CoordinationStore, createSemaphore, MemoryStore, type SemaphoreOptions } from "../../src/index.ts";
import { semaphoreGroup } from "../../src/semaphore/group.ts";
import { checkSemaphoreOptions } from "../../src/semaphore/settings.ts";
import { altered } from "../support/slots-world.ts";

const store = new MemoryStore();
const settings = (options: Partial<SemaphoreOptions> = {}) =>
  checkSemaphoreOptions({ name: "ocr", max: 5, store, ...options });
const able = (capabilities: Partial<CoordinationStore["capabilities"]>): CoordinationStore =>
  altered<CoordinationStore>(store, { capabilities: { ...store.capabilities, ...capabilities } });

describe("the times of a semaphore", () => {
  it("are these where none is given", () => {
    expect(settings()).toMatchObject({
      staleAfterMs: 10_000,
      stopWithinMs: 2_000,
      validityMs: 5_250,
      syncIntervalMs: 1_000,
      storeTimeoutMs: 1_250,
      learningMs: 0,
      maxWaiters: 10_000,
      maxHoldMs: undefined,
      turnMs: undefined,
      acquireTimeoutMs: undefined,
    });
  });

  it.each([
    [{ staleAfter: "20s" }, { staleAfterMs: 20_000, stopWithinMs: 4_000, validityMs: 10_500 }],
    [{ stopWithin: 0 }, { staleAfterMs: 10_000, stopWithinMs: 0, validityMs: 7_250 }],
    [{ stopWithin: "5s" }, { staleAfterMs: 25_000, stopWithinMs: 5_000, validityMs: 13_125 }],
    [{ validity: "3s" }, { staleAfterMs: 10_000, stopWithinMs: 2_000, validityMs: 3_000 }],
    [{ staleAfter: "1s" }, { staleAfterMs: 1_000, stopWithinMs: 200, validityMs: 525, syncIntervalMs: 175 }],
  ] as const)("%o make %o", (options, times) => {
    expect(settings(options)).toMatchObject(times);
  });

  it("follow from each other, so that a call which ends within stopWithin never overlaps its successor", () => {
    for (const validity of [30, 100, 1_000, 10_000, 60_000])
      for (const stopWithin of [0, 10, 1_000, 30_000]) {
        const { staleAfterMs, validityMs, stopWithinMs } = settings({ validity, stopWithin });
        expect(validityMs + stopWithinMs + 0.01 * staleAfterMs).toBeLessThan(0.75 * staleAfterMs);
      }
  });

  it.each([
    [{ stopWithin: "3s", staleAfter: "10s", validity: "5s" }, "staleAfter"],
    [{ stopWithin: "2s", staleAfter: "10s", validity: 5_400 }, "staleAfter"],
    [{ stopWithin: "8s", staleAfter: "10s" }, "staleAfter"],
    [{ validity: "8s", staleAfter: "10s" }, "staleAfter"],
  ] as const)("that could let two calls have one slot are refused: %o", (options, name) => {
    expect(() => settings(options)).toThrow(
      expect.objectContaining({
        code: "DT_INVALID_OPTION",
        message: expect.stringMatching(
          new RegExp(`^${name} is .*validity \\(\\d+ ms\\) \\+ stopWithin .*raise staleAfter to at least \\d+ ms`),
        ),
      }),
    );
  });

  it("are accepted with the remedy of the refusal", () => {
    const options = { stopWithin: "3s", validity: "5s" } as const;
    const refusal = (() => {
      try {
        return settings({ ...options, staleAfter: "8s" });
      } catch (error) {
        return (error as Error).message;
      }
    })();
    const [, leastMs] = /at least (\d+) ms/.exec(String(refusal)) ?? [];
    expect(settings({ ...options, staleAfter: Number(leastMs) }).staleAfterMs).toBe(Number(leastMs));
    expect(() => settings({ ...options, staleAfter: Number(leastMs) - 3 })).toThrow(/staleAfter/);
  });

  it("have a sync interval below the validity", () => {
    expect(() => settings({ syncInterval: "6s" })).toThrow(/syncInterval is "6s"; give less than validity \(5250 ms\)/);
  });

  it("have a learning period where the store can lose its data", () => {
    const losing = able({ losesData: true });
    expect(settings({ store: losing }).learningMs).toBe(10_000);
    expect(settings({ store: losing, learning: "20s" }).learningMs).toBe(20_000);
    expect(() => settings({ store: losing, learning: "9s" })).toThrow(/learning is "9s"; give from 10000 ms/);
    expect(() => settings({ learning: "21s" })).toThrow(/to 20000 ms/);
  });
});

describe("a semaphore is refused", () => {
  it.each([
    [{ name: "" }, /name is ""/],
    [{ name: "x".repeat(1_020) }, /give at most 1024 bytes/],
    [{ max: 0 }, /max is 0; give a whole number/],
    [{ max: 1.5 }, /max is 1.5/],
    [{ maxHold: 0 }, /maxHold is 0/],
    [{ maxWaiters: 0 }, /maxWaiters is 0/],
    [{ turn: "soon" }, /turn is "soon"/],
    [{ rate: "5/s" }, /rate: there is no such option/],
    [{ store: {} }, /store is .*give a CoordinationStore/],
  ])("for %o", (options, message) => {
    expect(() => createSemaphore({ name: "ocr", max: 5, store, ...options } as SemaphoreOptions)).toThrow(message);
  });

  it.each([{ ledger: false }, { demand: false }])("on a store that cannot keep slots: %o", (lack) => {
    expect(() => settings({ store: able(lack) })).toThrow(
      expect.objectContaining({ code: "DT_STORE_UNSUITABLE", message: expect.stringContaining("the memory store") }),
    );
  });
});

it("a throttle and a semaphore of one name are two groups", async () => {
  expect(semaphoreGroup("ocr")).toBe("semaphore/ocr");
  const shared = new MemoryStore();
  const semaphore = createSemaphore({ name: "ocr", max: 1, store: shared });
  await semaphore.start();
  expect((await shared.list()).groups).toEqual(["semaphore/ocr"]);
  await semaphore.stop();
});
