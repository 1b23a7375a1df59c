import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DtError, MemoryStore } from "../../src/index.ts";
import { memoryBackend } from "../../src/memory/backend.ts";
import { Store } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

describe("the operations of a store", () => {
  it("are told with how long they took, by the store and by its channel", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const told: unknown[] = [];
    const published: unknown[] = [];
    const hear = (message: unknown): void => void published.push(message);
    subscribe("dt:store:operation", hear);
    const off = store.on("operation", (event) => told.push(event));
    await store.inspect("g");
    unsubscribe("dt:store:operation", hear);
    await store.inspectPermits("k");
    off();
    await store.inspect("g");
    const event = { operation: "inspect", durationMs: 0, error: undefined };
    expect(told).toEqual([event, { ...event, operation: "inspectPermits" }]);
    expect(published).toEqual([{ store: "memory", ...event }]);
    await store.close();
  });

  it("that fail, or take too long, are told with the code of their error", async () => {
    const runtime = new VirtualRuntime();
    const backend = memoryBackend({ runtime });
    const failing: Record<string, () => Promise<never>> = {
      lost: () => Promise.reject(new DtError("DT_STORE_UNAVAILABLE", "connection refused", { effect: "definite" })),
      hangs: () => new Promise(() => undefined),
    };
    const store = new Store(
      Object.assign(Object.create(backend), {
        timeoutMs: 400,
        inspect: (group: string) => failing[group]?.(),
      }),
    );
    const told: unknown[] = [];
    store.on("operation", (event) => told.push(event));
    await expect(store.inspect("lost")).rejects.toThrow();
    const hangs = store.inspect("hangs").catch((error: unknown) => error);
    await runtime.advance(400);
    expect(await hangs).toMatchObject({ code: "DT_STORE_TIMEOUT" });
    // What is refused before it is sent is no operation.
    await expect(store.inspect("")).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
    expect(told).toEqual([
      { operation: "inspect", durationMs: 0, error: "DT_STORE_UNAVAILABLE" },
      { operation: "inspect", durationMs: 400, error: "DT_STORE_TIMEOUT" },
    ]);
    await store.close();
  });

  it("are listed in docs/events.md", () => {
    const page = readFileSync(new URL("../../../../docs/events.md", import.meta.url), "utf8");
    const listed = [...page.matchAll(/^\| `(\w+)` \| `dt:store:\1` \|/gm)].map(([, name]) => name).join(", ");
    const store = new MemoryStore();
    expect(() => store.on("?" as "operation", () => undefined)).toThrow(new RegExp(`known are ${listed}$`));
  });
});
