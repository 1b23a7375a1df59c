import { MemoryStore, systemRuntime } from "@dt/core";
import { expect, it } from "vitest";
import {
  compareEdges,
  comparePermits,
  REACHABLE,
  type Reached,
  type TimedLedger,
} from "../../src/permit-operations/index.ts";

/** A ledger that is right, or has one thing wrong. */
function ledger(change: Partial<TimedLedger> = {}): TimedLedger {
  let nowMs = 0;
  const store = new MemoryStore({ runtime: { ...systemRuntime, now: () => nowMs } });
  const at = <T>(clockMs: number, act: () => T): T => {
    nowMs = clockMs;
    return act();
  };
  return {
    reserve: (key, request, clockMs) => at(clockMs, () => store.reserve(key, request)),
    release: (key, release, clockMs) => at(clockMs, () => store.release(key, release)),
    reset: (key, clockMs) => at(clockMs, () => store.resetPermits(key)),
    inspect: (key, clockMs) => at(clockMs, () => store.inspectPermits(key)),
    ...change,
  };
}

const options = (seed: number) => ({ seed, operations: 600, startMs: 1_800_000_000_000 });

it("a ledger that is right agrees, and everything that can happen happens", async () => {
  const reached = new Set<Reached>();
  for (let seed = 1; seed <= 12; seed++)
    for (const what of await comparePermits(ledger(), options(seed))) reached.add(what);
  expect([...reached].sort()).toEqual([...REACHABLE].sort());
  await compareEdges(ledger(), 1_800_000_000_000);
});

it("a ledger that forgets one release is found out", async () => {
  await expect(comparePermits(ledger({ release: async () => {} }), options(3))).rejects.toThrow(/seed 3, \d+: /);
});

it("a ledger that is one unit in the last place off is found out", async () => {
  const right = ledger();
  const off = ledger({
    reserve: async (key, request, clockMs) => {
      const reservation = await right.reserve(key, request, clockMs);
      return { ...reservation, firstMs: reservation.firstMs * (1 + Number.EPSILON) };
    },
    release: right.release,
    reset: right.reset,
    inspect: right.inspect,
  });
  await expect(comparePermits(off, options(1))).rejects.toThrow(/seed 1, 0: /);
});

it("a ledger that counts one too many of what was given back is found out", async () => {
  const right = ledger();
  const inspect: TimedLedger["inspect"] = async (key, clockMs) => {
    const snapshot = await right.inspect(key, clockMs);
    return snapshot && { ...snapshot, freed: snapshot.freed + (snapshot.freed > 0 ? 1 : 0) };
  };
  await expect(comparePermits({ ...right, inspect }, options(3))).rejects.toThrow(
    /what the key holds at .* after seed 3/,
  );
});
