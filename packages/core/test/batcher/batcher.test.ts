import { type BucketRequest, MemoryStore } from "@dt/core";
import { batcherOf } from "@dt/core/internal";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";

function scene() {
  const runtime = new VirtualRuntime({ seed: 1 });
  const batcher = batcherOf(new MemoryStore({ runtime }), runtime);
  const told: Record<string, string> = {};
  const ask = (key: string, request: () => Partial<BucketRequest>): void => {
    const limit = { max: 5, windowMs: 1_000, burst: 10 };
    batcher.ask({
      timeoutMs: 1_000,
      request: () => ({ name: "api", key, limit, ...request() }),
      answered: () => void Object.assign(told, { [key]: "answered" }),
      failed: ({ message }) => void Object.assign(told, { [key]: message }),
      sent: () => undefined,
    });
  };
  return { batcher, told, ask };
}

describe("a request that cannot be made", () => {
  it("is refused by itself: those that travel with it and come after it are answered", async () => {
    const { batcher, told, ask } = scene();
    ask("a", () => ({}));
    ask("b", () => ({ limit: { max: 5, windowMs: 1e12, burst: 10 } }));
    ask("c", () => {
      throw new Error("the plans are away");
    });
    ask("d", () => ({}));
    await settle();
    ask("e", () => ({}));
    await settle();
    expect(told).toEqual({
      ...{ a: "answered", d: "answered", e: "answered" },
      b: "request.limit.windowMs is 1000000000000; give a number from 1 to 8640000000",
      c: "the plans are away",
    });
    expect(batcher.error).toBeUndefined();
  });
});
