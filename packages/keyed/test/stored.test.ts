import { MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { createKeyed, getLimit, type Keyed, type KeyedOptions, setLimit } from "../src/index.ts";
import { connected, watched } from "./support/fleet.ts";

const CODE = { rate: "5/s", burst: 10 } as const;

function scene(processes = 1) {
  const runtime = new VirtualRuntime({ seed: 1 });
  const store = new MemoryStore({ runtime });
  const create = (more: Partial<KeyedOptions> = {}): Keyed =>
    createKeyed({ name: "api", store, limit: CODE, stored: true, runtime, ...more });
  const keyed = Array.from({ length: processes }, () => create());
  return { runtime, store, create, limits: keyed[0] as Keyed };
}

describe("a limit that lives in the store", () => {
  it("of a key holds at once, and the code's again once it is removed", async () => {
    const { store, limits } = scene();
    expect((await limits.check("a", 4)).limit).toMatchObject({ burst: 10 });
    await setLimit(store, "api", { rate: "50/s", burst: 100 }, { key: "a", by: "ann", why: "upgrade" });
    expect(await limits.check("a", 90)).toMatchObject({ allowed: true, remaining: 6, limit: { max: 50, burst: 100 } });
    expect((await limits.check("b", 4)).limit).toMatchObject({ burst: 10 });
    expect(await getLimit(store, "api", { key: "a" })).toMatchObject({
      ...{ inForce: true, values: { max: 50, windowMs: 1_000, burst: 100 } },
      history: [{ by: "ann", why: "upgrade" }],
    });
    await setLimit(store, "api", undefined, { key: "a", by: "ann" });
    expect((await limits.peek("a")).limit).toMatchObject({ burst: 10 });
  });

  it("of all keys reaches a process within a second, also keys that are in use, and gives way to that of a key", async () => {
    const { runtime, store, limits } = scene();
    await limits.check("a");
    await setLimit(store, "api", { rate: "5/s", burst: 3 }, { by: "ann", for: "10s" });
    await setLimit(store, "api", { rate: "5/s", burst: 7 }, { by: "ann", key: "own" });
    await runtime.advance(1_000);
    await limits.check("a");
    await runtime.advance(10);
    expect((await limits.check("a")).limit.burst).toBe(3);
    expect((await limits.check("own")).limit.burst).toBe(7);
    await runtime.advance(10_000);
    await limits.check("a");
    await runtime.advance(10);
    expect((await limits.check("a")).limit.burst).toBe(10);
  });

  it("is known to a process that begins before its first call is decided", async () => {
    const { store, limits } = scene();
    await setLimit(store, "api", { rate: "1/s" }, { by: "ann" });
    expect(await limits.check("a")).toMatchObject({ allowed: true, limit: { max: 1, burst: 1 } });
    await expect(limits.check("a", 2)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    await expect(limits.for("a").acquire(2)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
  });

  it("of all keys is known to callers that only wait", async () => {
    const { runtime, store, limits } = scene();
    let calls = 0;
    const waiting = Array.from({ length: 100 }, () => limits.for("a").run(() => void calls++));
    await runtime.advance(2_000);
    await setLimit(store, "api", { rate: "1/s", burst: 10 }, { by: "ann" });
    await runtime.advance(3_000);
    const before = calls;
    await runtime.advance(20_000);
    expect(calls - before).toBeGreaterThan(15);
    expect(calls - before).toBeLessThanOrEqual(21);
    await limits.stop();
    await Promise.allSettled(waiting);
  });

  it("of all keys is known to a process that was idle before its next call is decided", async () => {
    const { runtime, store, limits } = scene();
    await limits.check("a");
    await runtime.advance(3_600_000);
    await setLimit(store, "api", { rate: "1/s" }, { by: "ann" });
    expect(await limits.peek("a")).toMatchObject({ limit: { burst: 1 } });
    await runtime.advance(3_600_000);
    const checks = await Promise.all(Array.from({ length: 10 }, () => limits.check("a")));
    expect(checks.filter(({ allowed }) => allowed)).toHaveLength(1);
  });

  it("is waited for no longer than for an answer, where the store gives none", async () => {
    const { runtime, store, create } = scene();
    const silent = (): Promise<never> => new Promise(() => undefined);
    const limits = create({ store: Object.assign(connected(store), { readLimit: silent, take: silent }) });
    const first = watched(limits.check("a"));
    const waiting = watched(limits.for("a").acquire());
    await runtime.advance(1_250);
    expect([first.error, waiting.error]).toMatchObject([{ code: "DT_STORE_TIMEOUT" }, { code: "DT_STORE_TIMEOUT" }]);
    const open = create({
      whenStoreLost: "allow",
      store: Object.assign(connected(store), { readLimit: silent, take: silent }),
    });
    const allowed = watched(open.check("a"));
    await runtime.advance(1_250);
    expect(allowed.value).toMatchObject({ allowed: true, storeError: { code: "DT_STORE_TIMEOUT" } });
  });

  it("may have calls in flight that the code's has not", async () => {
    const { store, limits } = scene();
    await setLimit(store, "api", { rate: "50/s", concurrent: 1 }, { key: "a", by: "ann" });
    const { slot } = await limits.check("a");
    expect(await limits.check("a")).toMatchObject({ allowed: false, limitedBy: "concurrent" });
    slot?.release();
    expect((await limits.check("a")).allowed).toBe(true);
  });

  it("lowered and raised leaves nobody stuck who waits, and tells of each change", async () => {
    const { runtime, store, limits } = scene();
    const changes: number[] = [];
    limits.on("limitChanged", ({ to }) => changes.push(to.max));
    await limits.check("a", 10);
    let served = 0;
    for (let n = 0; n < 30; n++)
      void limits
        .for("a")
        .acquire()
        .then(() => served++);
    await runtime.advance(1_000);
    await setLimit(store, "api", { rate: "1/s", burst: 1 }, { key: "a", by: "ann" });
    await runtime.advance(3_000);
    const atLow = served;
    await runtime.advance(5_000);
    expect(served - atLow).toBeLessThanOrEqual(6);
    await setLimit(store, "api", { rate: "100/s", burst: 10 }, { key: "a", by: "ann" });
    await runtime.advance(3_000);
    expect(served).toBe(30);
    expect(changes).toEqual([1, 100]);
  });

  it("is refused of a store that has none, and of options that are none", async () => {
    const { store } = scene();
    expect(() => createKeyed({ name: "x", limit: CODE, stored: true, store: { take: async () => [] } })).toThrow(
      "stored",
    );
    await expect(setLimit({}, "api", CODE, { by: "ann" })).rejects.toMatchObject({ code: "DT_STORE_UNSUITABLE" });
    await expect(setLimit(store, "api", CODE, { by: "" })).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
    await expect(setLimit(store, "api", { rate: "0/s" }, { by: "ann" })).rejects.toThrow("limit.rate");
  });
});
