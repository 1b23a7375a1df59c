import { describe, expect, it } from "vitest";
import {
  createThrottle,
  getLimit,
  type LimiterName,
  type LimitValues,
  MemoryStore,
  setLimit,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { altered } from "../support/slots-world.ts";

const BY = { by: "ann" };

describe("setLimit", () => {
  it.each<[LimiterName["kind"], Parameters<typeof setLimit>[2], LimitValues]>([
    ["throttle", "200/s", { max: 200 }],
    ["throttle", "600/min", { max: 600 }],
    ["throttle", 50, { max: 50 }],
    ["throttle", { max: 7 }, { max: 7 }],
    ["semaphore", 12, { max: 12 }],
    ["pacer", "20/s", { everyMs: 50 }],
    ["pacer", { everyMs: 100, burst: 4 }, { everyMs: 100, burst: 4 }],
    ["budget", { tokens: 90_000 }, { tokens: 90_000 }],
  ])("understands the limit of a %s: %o", async (kind, limit, values) => {
    const store = new MemoryStore();
    expect(await setLimit(store, { kind, name: "x" }, limit, BY)).toMatchObject({ values, inForce: true });
    expect(await getLimit(store, { kind, name: "x" })).toMatchObject({ values, history: [{ by: "ann", to: values }] });
  });

  it("keeps a throttle and a semaphore of one name apart", async () => {
    const store = new MemoryStore();
    await setLimit(store, { kind: "throttle", name: "x" }, 5, BY);
    expect(await getLimit(store, { kind: "semaphore", name: "x" })).toBeUndefined();
  });

  it("counts a rate for the interval that the group has, and knows what counted before", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const throttle = createThrottle({ name: "x", rate: "600/min", stored: true, store, runtime });
    await throttle.start();
    const { history } = await setLimit(store, { kind: "throttle", name: "x" }, "5/s", {
      ...BY,
      why: "load",
      for: "2h",
    });
    expect(history).toMatchObject([{ from: { max: 600 }, to: { max: 300 }, why: "load", untilMs: 7_200_000 }]);
    await expect(setLimit(store, { kind: "throttle", name: "x" }, "1/5min", BY)).rejects.toMatchObject({
      ...{ code: "DT_INVALID_OPTION", message: expect.stringContaining("at least a token in 60000 ms") },
    });
    await throttle.stop();
  });

  it.each<[string, () => Promise<unknown>]>([
    ["a kind", () => setLimit(new MemoryStore(), { kind: "group" as never, name: "x" }, 5, BY)],
    ["a rate of slots", () => setLimit(new MemoryStore(), { kind: "semaphore", name: "x" }, "5/s", BY)],
    ["a rate of a budget", () => setLimit(new MemoryStore(), { kind: "budget", name: "x" }, "5/s", BY)],
    ["a fraction", () => setLimit(new MemoryStore(), { kind: "semaphore", name: "x" }, 1.5, BY)],
    ["nobody", () => setLimit(new MemoryStore(), { kind: "throttle", name: "x" }, 5, {} as never)],
    [
      "an unknown option",
      () => setLimit(new MemoryStore(), { kind: "throttle", name: "x" }, 5, { ...BY, to: 1 } as never),
    ],
    ["an empty name", () => getLimit(new MemoryStore(), { kind: "throttle", name: "" })],
  ])("refuses %s", async (_, call) => {
    await expect(call()).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  });

  it("is refused on a store that keeps no limits", async () => {
    const store = altered(new MemoryStore(), { setLimit: undefined });
    const refusal = {
      code: "DT_STORE_UNSUITABLE",
      message: expect.stringContaining("the memory store keeps no limits"),
    };
    await expect(setLimit(store, { kind: "throttle", name: "x" }, 5, BY)).rejects.toMatchObject(refusal);
    await expect(getLimit(store, { kind: "throttle", name: "x" })).rejects.toMatchObject(refusal);
  });
});
