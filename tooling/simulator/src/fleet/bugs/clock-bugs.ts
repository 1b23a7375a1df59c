import type { Runtime } from "@dt/core";
import type { Bug } from "./bug.ts";
import { lying, storing } from "./seams.ts";

/** Faults of clocks: a process's own, its idea of the store's, and the group's. */
export const CLOCK_BUGS: readonly Bug[] = [
  {
    name: "clock-runs-slow",
    what: "the clock of a process shows half of the time that goes by, so that a share is used past its validity",
    runtime: (runtime) => {
      const startMs = runtime.now();
      return { ...bound(runtime), now: () => startMs + (runtime.now() - startMs) / 2 };
    },
  },
  {
    name: "sleep-unseen",
    what: "nothing tells a process that its machine was suspended",
    profile: "suspended",
    runtime: (runtime) => {
      const { bootTimeMs: _, ...blind } = bound(runtime);
      return blind;
    },
  },
  {
    name: "clock-one-way",
    what: "the answer is taken to be as old as the whole round trip",
    store: lying(() => ({ answer: (view) => ({ ...view, storeTimeMs: view.storeTimeMs + 200 }) })),
  },
  {
    name: "clock-never-corrected",
    what: "a store clock that has moved is not noticed",
    store: lying((runtime) => {
      let offsetMs: number | undefined;
      return {
        answer: (view) => {
          offsetMs ??= view.storeTimeMs - runtime.now();
          return { ...view, storeTimeMs: runtime.now() + offsetMs };
        },
      };
    }),
  },
  {
    name: "time-goes-back",
    what: "group time follows the server's clock back",
    ledger: storing((_, { offsetMs }) => ({ offsetMs })),
  },
  {
    name: "learning-ends-by-observation",
    what: "what a survivor has observed ends the learning of a recreated group",
    from: 500,
    ledger: (ledger) => ({
      ...ledger,
      register: (table, registration, clockMs, ...since) => {
        const { lastMs = clockMs, offsetMs = 0 } = table.group() ?? {};
        const view = ledger.register(table, registration, clockMs, ...since);
        const row = table.group();
        const correctedMs = row ? row.lastMs - Math.max(lastMs, clockMs + offsetMs) : 0;
        if (row && correctedMs > 0) table.putGroup({ ...row, lapsedMs: row.lapsedMs - correctedMs });
        return view;
      },
    }),
  },
];

/** For the worlds whose wall clocks go wrong; in the others there is nothing to see of it. */
export const EPOCHS_BY_WALL_CLOCK: Bug = {
  name: "epochs-by-wall-clock",
  what: "a process's clock is the wall clock",
  runtime: (runtime) => ({ ...bound(runtime), now: () => Date.now() }),
};

/** The same clock, timers and chance, as an object of its own. */
export function bound(runtime: Runtime): Runtime {
  return {
    now: () => runtime.now(),
    setTimer: (...said) => runtime.setTimer(...said),
    random: () => runtime.random(),
    ...(runtime.bootTimeMs && { bootTimeMs: runtime.bootTimeMs }),
  };
}
