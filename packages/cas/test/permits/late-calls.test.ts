import { DtError, type StoreCapabilities } from "@dt/core";
import { Store } from "@dt/core/store";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { type CellGroup, type CellName, cellBackend, type DocumentCell, Sessions } from "../../src/index.ts";

/** More keys than a client keeps in mind while nobody calls them. */
const KEYS = 1_500;

/** Of keys that were called while the store took so long: how many are forgotten when it is well again. */
async function forgotten(slowMs: number): Promise<number> {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const opened = new Map<string, number>();
  let wayMs = slowMs;
  const cellOf = (cell: CellName): DocumentCell => {
    const key = "name" in cell ? cell.name : "";
    opened.set(key, (opened.get(key) ?? 0) + 1);
    return {
      name: key,
      read: async () => {
        if (wayMs > 0) await new Promise<void>((resolve) => void runtime.setTimer(resolve, wayMs));
        return undefined;
      },
      replace: async () => ({ done: true, revision: "1" }),
    };
  };
  const capabilities: StoreCapabilities = {
    ...{ name: "model", clock: "hybrid", ledger: true, losesData: false, hints: false },
  };
  const backend = cellBackend({
    ...{ capabilities, runtime, timeoutMs: 1_000, client: "c", cellOf },
    groups: new Sessions<CellGroup>(() => {
      throw new Error("nobody asks for a group");
    }),
    names: async () => ({ names: [] }),
    toDtError: (cause, { what }) => new DtError("DT_STORE_UNAVAILABLE", what, { cause }),
    close: () => undefined,
  });
  const ledger = new Store(backend);
  const keys = Array.from({ length: KEYS }, (_, i) => `k${i}`);
  const release = (key: string): Promise<void> => ledger.release(key, { id: "x", keep: 0 }).catch(() => undefined);
  const all = Promise.all(keys.map(release));
  await runtime.advance(10_000);
  await all;
  wayMs = 0;
  await release("one more");
  for (const key of keys) await release(key);
  return [...opened.values()].filter((times) => times > 1).length;
}

test.each([0, 1_500])(
  "keys are forgotten as well when their calls were given up: an answer takes %i ms",
  async (slowMs) => {
    expect(await forgotten(slowMs)).toBeGreaterThan(0);
  },
);
