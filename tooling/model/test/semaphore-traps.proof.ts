import { describe, expect, it } from "vitest";
import { SLOT_TRAPS, springSlots } from "../src/semaphore/traps.ts";

describe("every trap of a semaphore", () => {
  it.each(SLOT_TRAPS.map((trap) => ({ name: trap.name, trap })))(
    "$name brings more calls in flight than max",
    ({ trap }) => {
      const { caught, steps, trace } = springSlots(trap);
      expect(caught).toBe(true);
      expect(trace).toHaveLength(steps ?? 0);
    },
  );

  it("has a name of its own", () => {
    expect(new Set(SLOT_TRAPS.map(({ name }) => name)).size).toBe(SLOT_TRAPS.length);
  });
});
