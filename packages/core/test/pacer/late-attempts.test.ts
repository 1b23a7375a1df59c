import { expect, test } from "vitest";
import { createPacer, MemoryStore, type PermitLedger } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

test.each(["skip", "throw"] as const)(
  "stop waits for an attempt under way, whose function is then not called (%s)",
  async (whenLimited) => {
    const runtime = new VirtualRuntime({ startMs: 1_000_000 });
    const memory = new MemoryStore({ runtime });
    let answer = (): void => {};
    const store: PermitLedger = {
      reserve: async (...args) => {
        const reservation = await memory.reserve(...args);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return reservation;
      },
      release: (...args) => memory.release(...args),
    };
    const pacer = createPacer({ name: "k", every: "1m", store, runtime });
    const order: string[] = [];
    const call = pacer.wrap(async () => void order.push("called"), { whenLimited });
    const called = call().catch((error: { readonly code: string }) => order.push(error.code));
    await settle();
    const stopped = pacer.stop().then(() => order.push("stopped"));
    await settle();
    expect(order).toEqual([]);
    answer();
    await Promise.all([called, stopped]);
    expect(order).toEqual(["DT_STOPPED", "stopped"]);
    // What it was granted went back.
    expect(await createPacer({ name: "k", every: "1m", store: memory, runtime }).tryAcquire()).toEqual({ lateMs: 0 });
  },
);
