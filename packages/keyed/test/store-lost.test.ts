import { DtError, type KeyedLedger, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { createKeyed, type KeyedOptions } from "../src/index.ts";
import { watched } from "./support/fleet.ts";

function scene(options: Partial<KeyedOptions> = {}) {
  const runtime = new VirtualRuntime({ seed: 1 });
  const memory = new MemoryStore({ runtime });
  const state = { isDown: false, hangs: false, calls: 0 };
  const store: KeyedLedger = {
    take: async (...args) => {
      state.calls += 1;
      if (state.hangs) return new Promise(() => undefined);
      if (state.isDown) throw new DtError("DT_STORE_UNAVAILABLE", "it is down");
      return memory.take(...args);
    },
  };
  const limits = createKeyed({ name: "api", store, limit: { rate: "5/s", burst: 10 }, runtime, ...options });
  return { runtime, limits, state };
}

describe("while the store is away", () => {
  it("calls reject with its error, few of them ask it, and they go on once it is back", async () => {
    const { runtime, limits, state } = scene();
    state.isDown = true;
    for (let n = 0; n < 200; n++) {
      await expect(limits.check(`key ${n}`)).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
      await runtime.advance(10);
    }
    expect(state.calls).toBeLessThan(10);
    state.isDown = false;
    await runtime.advance(1_000);
    expect((await limits.check("a")).allowed).toBe(true);
    expect(limits.status().lastError).toBeUndefined();
  });

  it("no call waits long for a store that does not answer", async () => {
    const { runtime, limits, state } = scene();
    state.hangs = true;
    const first = watched(limits.check("a"));
    await runtime.advance(1_250);
    expect(first.error).toMatchObject({ code: "DT_STORE_TIMEOUT" });
    await runtime.advance(30);
    const second = watched(limits.check("b"));
    await runtime.advance(0);
    for (let n = 0; n < 20; n++) {
      const other = watched(limits.check(`other ${n}`));
      await runtime.advance(0);
      expect(other.done).toBe(true);
    }
    await runtime.advance(1_250);
    expect(second.done).toBe(true);
  });

  it("calls go on uncounted, or are refused, as told, and both show why", async () => {
    const open = scene({ whenStoreLost: "allow" });
    open.state.isDown = true;
    for (let n = 0; n < 20; n++)
      expect(await open.limits.check("a")).toMatchObject({
        allowed: true,
        storeError: { code: "DT_STORE_UNAVAILABLE" },
      });
    expect(await open.limits.for("a").run(() => "called")).toBe("called");
    expect(open.limits.status()).toMatchObject({ unchecked: 21, calls: { granted: 21 } });

    const closed = scene({ whenStoreLost: "deny" });
    closed.state.isDown = true;
    expect(await closed.limits.check("a")).toMatchObject({ allowed: false, limitedBy: "store" });
    expect(await closed.limits.for("a").tryAcquire()).toBeUndefined();
    await expect(closed.limits.for("a").acquire()).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });

    const counting = scene({ enforce: false });
    counting.state.isDown = true;
    expect((await counting.limits.check("a")).allowed).toBe(true);
  });

  it("units in hand may still be spent, for as long as they are held", async () => {
    const { runtime, limits, state } = scene({ limit: { rate: "100/s", burst: 100 } });
    for (let n = 0; n < 20; n++) {
      await limits.check("a");
      await runtime.advance(10);
    }
    state.isDown = true;
    const { inHand } = limits.for("a").status();
    expect(inHand).toBeGreaterThan(2);
    for (let n = 0; n < inHand; n++) expect((await limits.check("a")).allowed).toBe(true);
    await expect(limits.check("a")).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
  });

  it("slots whose renewal fails are lost before the store gives them to others", async () => {
    const { runtime, limits, state } = scene({ limit: { rate: "100/s", concurrent: 1 } });
    const slot = await limits.for("a").acquire();
    await runtime.advance(20_000);
    expect(slot.signal.aborted).toBe(false);
    state.isDown = true;
    await runtime.advance(7_000);
    expect(slot.lost).toBe(false);
    await runtime.advance(2_000);
    expect(slot.signal.reason).toMatchObject({ code: "DT_SLOT_LOST" });
    expect(limits.status().slotsLost).toBe(1);
  });
});

describe("a machine that was suspended", () => {
  it("spends no units of before", async () => {
    const { runtime, limits, state } = scene({ limit: { rate: "100/s", burst: 100 } });
    for (let n = 0; n < 20; n++) {
      await limits.check("a");
      await runtime.advance(10);
    }
    expect(limits.for("a").status().inHand).toBeGreaterThan(2);
    runtime.suspend(60_000);
    await runtime.advance(50);
    state.isDown = true;
    await expect(limits.check("a")).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
  });
});
