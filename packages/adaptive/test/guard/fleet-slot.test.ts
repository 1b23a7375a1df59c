import { DtError, type Slot } from "@dt/core";
import { FleetSlot, type Taken } from "@dt/core/internal";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";

/** A slot that can be lost. */
class TestSlot implements Slot {
  readonly cost = 1;
  readonly signal = new AbortController().signal;
  lost = false;
  released = 0;
  release(): void {
    this.released += 1;
  }
  [Symbol.dispose](): void {
    this.release();
  }
}

interface Steps {
  /** How long the n-th slot is waited for, in milliseconds. */
  readonly slots?: readonly number[];
  /** How long the n-th tokens are waited for. */
  readonly tokens?: readonly number[];
  /** For how long tokens are fresh. */
  readonly freshMs?: number;
}

/** A call that takes slots and tokens; what it did and when, in milliseconds from its beginning. */
function world({ slots = [], tokens = [], freshMs = 1_000 }: Steps) {
  const runtime = new VirtualRuntime();
  const startMs = runtime.now();
  const log: string[] = [];
  const taken: TestSlot[] = [];
  const note = (what: string): void => void log.push(`${what} at ${runtime.now() - startMs}`);
  const elapsed = (ms: number): Promise<void> =>
    ms === 0 ? Promise.resolve() : new Promise((resolve) => void runtime.setTimer(resolve, ms));
  let times = 0;
  const fleet = new FleetSlot(runtime, {
    priority: 0,
    enter: async (priority) => {
      await elapsed(slots[taken.length] ?? 0);
      note(`slot with ${priority}`);
      const slot = new TestSlot();
      taken.push(slot);
      return slot;
    },
    take: async (into: Taken[], priority) => {
      await elapsed(tokens[times++] ?? 0);
      note(`tokens with ${priority}`);
      const untilMs = runtime.now() + freshMs;
      into.push({ giveBack: () => note("tokens back"), isFresh: () => runtime.now() < untilMs });
    },
  });
  return { runtime, fleet, log, taken };
}

test("a slot waits for tokens for a turn", async () => {
  const { runtime, fleet, log, taken } = world({ tokens: [99] });
  const taking = fleet.take();
  await runtime.advance(99);
  expect(await taking).toBe(taken[0]);
  await runtime.advance(1_000);
  expect(taken[0]?.released).toBe(0);
  expect(log).toEqual(["slot with 0 at 0", "tokens with 0 at 99"]);
  expect(runtime.pendingTimers).toBe(0);
});

test("it is given back after a turn, and taken again from the front of the queue once the tokens are there", async () => {
  const { runtime, fleet, log, taken } = world({ tokens: [700], slots: [0, 300] });
  const taking = fleet.take();
  await runtime.advance(99);
  expect(taken[0]?.released).toBe(0);
  await runtime.advance(1);
  expect(taken[0]?.released).toBe(1);
  await runtime.advance(900);
  expect(await taking).toBe(taken[1]);
  expect(log).toEqual(["slot with 0 at 0", "tokens with 0 at 700", "slot with 9 at 1000"]);
});

test("tokens that got old meanwhile go back, and the slot then stays until the next are there", async () => {
  const { runtime, fleet, log, taken } = world({ tokens: [200, 5_000], slots: [0, 300], freshMs: 300 });
  const taking = fleet.take();
  await runtime.advance(5_500);
  expect(await taking).toBe(taken[1]);
  expect(log).toEqual([
    "slot with 0 at 0",
    "tokens with 0 at 200",
    "slot with 9 at 500",
    "tokens back at 500",
    "tokens with 9 at 5500",
  ]);
  expect(taken[1]?.released).toBe(0);
});

test("a slot that was lost while it waited for tokens is taken anew", async () => {
  const { runtime, fleet, log, taken } = world({ tokens: [50] });
  const taking = fleet.take();
  await settle();
  (taken[0] as TestSlot).lost = true;
  await runtime.advance(50);
  expect(await taking).toBe(taken[1]);
  expect(taken[0]?.released).toBe(1);
  expect(log).toEqual(["slot with 0 at 0", "tokens with 0 at 50", "slot with 9 at 50"]);
});

test("a call that does not go through leaves neither a slot nor tokens nor a timer behind", async () => {
  const { runtime, fleet, log, taken } = world({});
  await fleet.take();
  fleet.giveBack();
  expect([taken[0]?.released, log.at(-1), runtime.pendingTimers]).toEqual([1, "tokens back at 0", 0]);

  const failing = new FleetSlot(runtime, {
    priority: 0,
    enter: async () => taken[0] as Slot,
    take: async (into) => {
      into.push({ giveBack: () => log.push("first tokens back"), isFresh: () => true });
      throw new DtError("DT_TIMEOUT", "no tokens");
    },
  });
  await expect(failing.take()).rejects.toMatchObject({ code: "DT_TIMEOUT" });
  failing.giveBack();
  expect([taken[0]?.released, log.at(-1), runtime.pendingTimers]).toEqual([2, "first tokens back", 0]);
});
