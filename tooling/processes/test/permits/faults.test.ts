import { expect, it } from "vitest";
import { runFaults } from "../../src/permits/faults.ts";
import { quickStores } from "../../src/permits/stores/index.ts";

// At the same time: each has servers and processes of its own.
it.concurrent.each(quickStores.map((store) => [store.name, store] as const))(
  "%s: whatever is killed, stopped or cut off, no permit is used early or twice, nothing leaks, nobody hangs",
  { timeout: 120_000 },
  async (_name, store) => {
    const { violations, used } = await runFaults(store);
    expect(violations).toEqual([]);
    expect(used).toBeGreaterThan(50);
  },
);
