import { describe, expect, it } from "vitest";
import { SleepWatch } from "../../src/runtime/sleep-watch.ts";

/** A machine whose clock that counts suspended time is read in whole seconds, as on Linux. */
class Machine {
  #localMs = 300;
  #sleptMs = 0;
  readonly runtime = {
    now: () => this.#localMs,
    bootTimeMs: () => Math.floor((this.#localMs + this.#sleptMs) / 1_000) * 1_000,
    setTimer: () => ({ cancel: () => undefined }),
    random: () => 0,
  };

  pass(ms: number): void {
    this.#localMs += ms;
  }

  sleep(ms: number): void {
    this.#sleptMs += ms;
  }
}

describe("a machine that sleeps", () => {
  it.each(Array.from({ length: 10 }, (_, phase) => phase * 100))(
    "for a second is not noticed when it has been heard of by the store since, %i ms into a second",
    (phaseMs) => {
      const machine = new Machine();
      machine.pass(phaseMs);
      const watch = new SleepWatch(machine.runtime);
      machine.sleep(1_095);
      for (let look = 0; look < 200; look++) {
        machine.pass(130);
        // The answer that comes first after waking.
        if (look === 0 && watch.noticed()) return;
        if (look === 0) watch.settle();
        expect(watch.noticed()).toBe(false);
      }
    },
  );

  it("for two seconds and a half is noticed once, wherever in a second it falls asleep and wakes", () => {
    for (let phaseMs = 0; phaseMs < 1_000; phaseMs += 50) {
      const machine = new Machine();
      machine.pass(phaseMs);
      const watch = new SleepWatch(machine.runtime);
      machine.pass(777);
      watch.settle();
      machine.pass(phaseMs);
      machine.sleep(2_501);
      expect(watch.noticed()).toBe(true);
      expect(watch.noticed()).toBe(false);
    }
  });
});
