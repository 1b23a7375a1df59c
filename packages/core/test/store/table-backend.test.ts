import { expect, it } from "vitest";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { Store, tableBackend } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store whose transactions begin and commit only after a while; and its table. */
function slowStore(beginMs: number, commitMs: number) {
  const runtime = new VirtualRuntime();
  const table = new MemoryTable();
  const pass = (ms: number): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, ms));
  const store = new Store(
    tableBackend({
      capabilities: { name: "slow", clock: "host", ledger: true, losesData: false, hints: false },
      runtime,
      timeoutMs: 1_000,
      async transaction(_mode, operation) {
        await pass(beginMs);
        const result = operation(undefined, runtime.now());
        await pass(commitMs);
        return result;
      },
      groupTable: () => table,
    }),
  );
  const farewell = store.deregister("g", { id: "a", incarnation: "i" }, { seq: 1, level: null });
  return { runtime, table, farewell };
}

it("a transaction that begins after its caller's deadline writes nothing, and the error says so", async () => {
  const { runtime, table, farewell } = slowStore(1_500, 0);
  let asked = 0;
  table.group = () => {
    asked += 1;
    return undefined;
  };
  const refusal = expect(farewell).rejects.toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
  await runtime.advance(1_000);
  await refusal;
  await runtime.advance(1_000);
  expect(asked).toBe(0);
});

it("a transaction that commits after its caller's deadline may have taken effect", async () => {
  const { runtime, farewell } = slowStore(0, 1_500);
  const refusal = expect(farewell).rejects.toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
  await runtime.advance(1_000);
  await refusal;
});
