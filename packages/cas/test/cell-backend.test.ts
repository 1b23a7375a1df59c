import { DtError, type StoreCapabilities } from "@dt/core";
import { Store } from "@dt/core/store";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { type CellGroup, cellBackend, Sessions } from "../src/index.ts";

const capabilities: StoreCapabilities = {
  ...{ name: "model", clock: "hybrid", ledger: true, losesData: false, hints: false },
};
const registration = {
  ...{ id: "a", incarnation: "a", seq: 1, rejoin: false, claim: 0, max: 10, intervalMs: 1_000, staleAfterMs: 9_000 },
  ...{ learningMs: 0, level: null, resumeWithinMs: 0, observedMs: 0 },
};

function world(inspect: () => Promise<never>): { store: Store; runtime: VirtualRuntime; told: string[] } {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const told: string[] = [];
  const never = (over: AbortSignal): Promise<never> => {
    over.addEventListener("abort", () => told.push("given up"));
    return new Promise(() => {});
  };
  const group: CellGroup = {
    isIdle: true,
    register: (_, over) => never(over),
    sync: (_, __, over) => never(over),
    deregister: (_, __, over) => never(over),
    inspect,
    repair: async (reset) => ({ found: [], members: 0, reset }),
    end: () => told.push("session ended"),
  };
  const backend = cellBackend({
    ...{ capabilities, runtime, timeoutMs: 1_000, client: "c" },
    groups: new Sessions<CellGroup>(() => group),
    cellOf: () => {
      throw new Error("nobody asks for a key");
    },
    names: () => new Promise(() => {}),
    toDtError: (cause, { what }) => new DtError("DT_STORE_UNAVAILABLE", what, { effect: "unknown", cause }),
    close: () => void told.push("client closed"),
  });
  return { store: new Store(backend), runtime, told };
}

const unanswered = () => new Promise<never>(() => {});

it("a call that was not answered by its deadline may have had an effect, and its session hears that it is over", async () => {
  const { store, runtime, told } = world(unanswered);
  const settled = Promise.allSettled([store.register("g", registration), store.list()]);
  await runtime.advance(1_001);
  for (const late of await settled)
    expect(late).toMatchObject({ reason: { code: "DT_STORE_TIMEOUT", effect: "unknown" } });
  expect(told).toEqual(["given up"]);
});

it("what a session or the driver throws is told as the adapter says", async () => {
  const { store } = world(() => Promise.reject(new Error("no leader")));
  await expect(store.inspect("g")).rejects.toMatchObject({
    ...{ code: "DT_STORE_UNAVAILABLE", message: "model inspect", effect: "unknown" },
  });
  expect(await store.repair("g", { reset: true })).toMatchObject({ reset: true });
});

it("closing fails what is under way, ends the sessions and then the client, once", async () => {
  const { store, told } = world(unanswered);
  const call = store.sync("g", registration, { seq: 2, generation: 0, members: 0, held: 0, max: 10, level: null });
  const refused = expect(call).rejects.toMatchObject({ code: "DT_STORE_CLOSED", effect: "unknown" });
  await store.close();
  await store.close();
  await refused;
  expect(told).toEqual(["given up", "session ended", "client closed"]);
  await expect(store.inspect("g")).rejects.toMatchObject({ code: "DT_STORE_CLOSED", effect: "definite" });
});
