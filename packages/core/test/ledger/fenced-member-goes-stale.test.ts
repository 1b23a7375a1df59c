import { MemoryStore, type Registration, type Report } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";

const registration: Registration = {
  id: "worker",
  incarnation: "older",
  seq: 1,
  rejoin: false,
  claim: 0,
  max: 100,
  intervalMs: 1_000,
  staleAfterMs: 1_000,
  learningMs: 0,
  level: null,
  resumeWithinMs: 0,
  observedMs: 0,
};
const report: Report = { seq: 2, generation: 0, members: 0, held: 0, max: 100, level: null };

/** Found by the conformance suite: the fenced member's own call made the memory store forget when it goes stale. */
it("a fenced member that goes on calling is removed when it goes stale", async () => {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const first = await store.register("g", registration);
  const older = first.status === "agree" ? first.generation : 0;
  const joined = await store.register("g", { ...registration, incarnation: "newer", staleAfterMs: 60_000 });
  const generation = joined.status === "disagree" ? joined.generation : 0;
  for (let seq = 2; seq < 20; seq++) {
    runtime.jump(100);
    await store.sync("g", { id: "worker", incarnation: "older" }, { ...report, seq, generation: older });
    await store.sync("g", { id: "worker", incarnation: "newer" }, { ...report, seq, generation });
  }
  expect((await store.inspect("g")).members.map((member) => member.incarnation)).toEqual(["newer"]);
});
