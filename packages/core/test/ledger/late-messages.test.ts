import { MemoryStore, type Registration, type Report } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";

function registration(incarnation: string, seq: number): Registration {
  return {
    id: "worker",
    incarnation,
    seq,
    rejoin: false,
    claim: 0,
    max: 100,
    intervalMs: 1_000,
    staleAfterMs: 10_000,
    learningMs: 0,
    level: null,
    resumeWithinMs: 0,
    observedMs: 0,
  };
}

/**
 * Found by the simulator (storm seed 391): a registration and then a sync of a process that was dead already fenced its
 * successor.
 */
it("late messages of a process that died fence nobody, even a registration and a sync", async () => {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new MemoryStore({ runtime });
  const sync = async (incarnation: string, report: Partial<Report>): Promise<string> => {
    const whole = { seq: 2, generation: 0, members: 0, held: 0, max: 100, level: null, ...report };
    return (await store.sync("g", { id: "worker", incarnation }, whole)).status;
  };
  const first = await store.register("g", registration("dead", 2));
  const known = first.status === "agree" ? first.generation : 0;
  await store.deregister("g", { id: "worker", incarnation: "dead" }, { seq: 3, level: null });
  runtime.jump(100);
  const second = await store.register("g", registration("alive", 1));
  const generation = second.status === "agree" ? second.generation : 0;
  expect(await sync("alive", { generation })).toBe("agree");
  runtime.jump(100);
  // Sent before it died, and arrived only now, in order: a registration that it had tried first, and its last sync.
  await store.register("g", registration("dead", 1));
  expect(await sync("dead", { seq: 5, generation: known })).not.toBe("fenced");
  expect(await sync("alive", { seq: 3, generation })).not.toBe("fenced");
});

/**
 * Found by the simulator (atomic seed 69080), after the store had lost its data: a registration "again" of a process
 * that was dead already fenced its successor.
 */
it("a late registration again of a process that died fences nobody, and takes nobody's id", async () => {
  const store = new MemoryStore({ runtime: new VirtualRuntime({ startMs: 1_000_000 }) });
  const again = (incarnation: string): Registration => ({ ...registration(incarnation, 1), rejoin: true });
  await store.register("g", again("dead"));
  const view = await store.register("g", again("alive"));
  const generation = view.status === "disagree" ? view.generation : 0;
  expect(generation).toBeGreaterThan(0);
  const report = { seq: 2, generation, members: 2, held: 0, max: 100, level: null };
  // Its last sync, as late as its registration, and before the living one is heard again.
  await store.sync("g", { id: "worker", incarnation: "dead" }, { ...report, generation: 0 });
  expect((await store.sync("g", { id: "worker", incarnation: "alive" }, report)).status).toBe("disagree");
  expect((await store.sync("g", { id: "worker", incarnation: "alive" }, { ...report, seq: 3 })).status).toBe(
    "disagree",
  );
});
