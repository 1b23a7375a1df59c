import { expect, it } from "vitest";
import { createThrottle, MemoryStore, type Runtime, type Throttle } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const STALE_AFTER = "60s";

/** Processes of one machine, of which some are over. */
class Machine extends VirtualRuntime {
  readonly over = new Set<string>();
  readonly store = new MemoryStore({ runtime: this });
  readonly told: unknown[] = [];

  /** The runtime of one of its processes. */
  process(name: string): Runtime {
    return {
      now: () => this.now(),
      random: () => this.random(),
      setTimer: (callback, ms) => this.setTimer(() => this.over.has(name) || callback(), ms),
      processes: { self: name, isOver: (other) => this.over.has(other) },
    };
  }

  async join(name: string, shares: "even" | "demand"): Promise<Throttle> {
    const runtime = this.process(name);
    const throttle = createThrottle({
      group: "g",
      max: 10,
      staleAfter: STALE_AFTER,
      store: this.store,
      runtime,
      shares,
    });
    throttle.on("tookOver", (event) => this.told.push(event));
    await throttle.start();
    return throttle;
  }
}

it.each(["even", "demand"] as const)(
  "tokens that a killed process held are its successor's from the next epoch on, shares %s",
  async (shares) => {
    const machine = new Machine({ startMs: 1_000_000 });
    const first = await machine.join("m.1.1", shares);
    await machine.advance(2_000);
    expect(first.tryAcquire(10), "all of the epoch under way is used").toBe(10);
    machine.over.add("m.1.1");
    const second = await machine.join("m.2.2", shares);
    expect(second.tryAcquire(10), "none is left in this epoch").toBe(0);
    await machine.advance(900);
    expect(second.tryAcquire(10), "nor later in it").toBe(0);
    await machine.advance(1_200);
    expect(second.tryAcquire(10)).toBe(10);
    expect(machine.told).toEqual([{ processorId: first.processorId, held: 10 }]);
    const { members } = await machine.store.inspect("g");
    expect(members.map(({ id }) => id)).toEqual([second.processorId]);
  },
);

it("a member whose process may still run keeps its tokens", async () => {
  const machine = new Machine({ startMs: 1_000_000 });
  const first = await machine.join("m.1.1", "even");
  await machine.advance(2_000);
  const second = await machine.join("m.2.2", "even");
  await machine.advance(3_000);
  const { members } = await machine.store.inspect("g");
  expect(members).toHaveLength(2);
  expect(first.tryAcquire(10) + second.tryAcquire(10)).toBe(10);
});
