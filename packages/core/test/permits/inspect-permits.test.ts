import { describe, expect, it } from "vitest";
import type { PermitRequest } from "../../src/index.ts";
import { MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

function request(id: string, changes: Partial<PermitRequest> = {}): PermitRequest {
  return { id, count: 1, cost: 1, everyMs: 100, burst: 1, maxReserved: 10, keepMs: 1_000, queueMs: 0, ...changes };
}

function sandbox() {
  const runtime = new VirtualRuntime();
  return { runtime, store: new MemoryStore({ runtime }) };
}

describe("inspectPermits of the memory store", () => {
  it("tells up to when a key is reserved, and what is known of it, until it is over", async () => {
    const { runtime, store } = sandbox();
    const startMs = runtime.now();
    await store.reserve("k", request("a", { count: 3 }));
    expect(await store.inspectPermits("k")).toEqual({
      key: "k",
      reservedUntilMs: startMs + 300,
      known: 1,
      freed: 0,
      waiting: 0,
      storeTimeMs: startMs,
    });
    await runtime.advance(1_199);
    expect(await store.inspectPermits("k")).toMatchObject({ known: 1, storeTimeMs: startMs + 1_199 });
    await runtime.advance(1);
    expect(await store.inspectPermits("k")).toBeUndefined();
  });

  it("counts an instant that was given back until it is past", async () => {
    const { runtime, store } = sandbox();
    await store.reserve("k", request("a"));
    await store.reserve("k", request("b"));
    await store.reserve("k", request("c"));
    await store.release("k", { id: "b", keep: 0 });
    expect(await store.inspectPermits("k")).toMatchObject({ freed: 1, known: 3 });
    await runtime.advance(100);
    expect(await store.inspectPermits("k")).toMatchObject({ freed: 1 });
    await runtime.advance(1);
    expect(await store.inspectPermits("k")).toMatchObject({ freed: 0 });
  });

  it("counts who waits in the queue until the place is given up", async () => {
    const { runtime, store } = sandbox();
    await store.reserve("k", request("a", { maxReserved: 0 }));
    const { retryAfterMs } = await store.reserve("k", request("b", { maxReserved: 0, queueMs: 50 }));
    await runtime.advance(retryAfterMs + 49);
    expect(await store.inspectPermits("k")).toMatchObject({ waiting: 1 });
    await runtime.advance(1);
    expect(await store.inspectPermits("k")).toMatchObject({ waiting: 0 });
  });

  it("tells the terms for as long as they bind: 10 s after the last use", async () => {
    const { runtime, store } = sandbox();
    await store.reserve("k", request("a", { terms: "old" }));
    await store.reserve("k", request("b", { terms: "new", formerTerms: "old", keepMs: 60_000 }));
    expect(await store.inspectPermits("k")).toMatchObject({ terms: "new", formerTerms: "old" });
    await runtime.advance(10_200);
    expect(await store.inspectPermits("k")).toMatchObject({ terms: "new", formerTerms: "old" });
    await runtime.advance(1);
    const idle = await store.inspectPermits("k");
    expect([idle?.known, idle?.terms, idle?.formerTerms]).toEqual([1, undefined, undefined]);
  });

  it("is no use of the key", async () => {
    const { runtime, store } = sandbox();
    await store.reserve("k", request("a", { terms: "old" }));
    await runtime.advance(10_050);
    await store.inspectPermits("k");
    await runtime.advance(51);
    expect(await store.reserve("k", request("b", { terms: "new" }))).toMatchObject({ granted: 1 });
  });
});

describe("listPermits of the memory store", () => {
  it("does not have a key that nobody has used, whatever was given back or reset there", async () => {
    const { store } = sandbox();
    await store.release("released", { id: "a", keep: 0 });
    await store.resetPermits("reset");
    await store.reserve("used", request("a"));
    expect(await store.listPermits()).toEqual({ keys: ["used"] });
  });
});
