import type { Fleet } from "../fleet/fleet.ts";
import { MAX } from "../timings.ts";
import type { Fault } from "./fault.ts";

const HOUR_MS = 3_600_000;
/** A rolling change of configuration reaches one worker after the other. */
const ROLLING_MS = 250;
const LOWERED = 0.6;

/** Faults of the workers themselves. */
export function workerFaults(fleet: Fleet): Fault[] {
  const restart = async (number: number, choice: number): Promise<void> => {
    await fleet.slot(number).start(choice < 0.5 ? "same" : "new").joined;
  };
  return [
    {
      // SIGSTOP, sometimes for longer than the stale age.
      ...{ kind: "worker-pause", on: "worker", shortestMs: 500, longestMs: 6_000, essential: true },
      inject: async ({ worker: number }) => {
        const { worker } = fleet.slot(number);
        worker.pause();
        return async () => worker.resume();
      },
    },
    {
      // SIGKILL, and a new process after a while, under the same id or a new one.
      ...{ kind: "worker-kill", on: "worker", shortestMs: 50, longestMs: 5_000, essential: true },
      inject: async ({ worker: number, choice }) => {
        await fleet.slot(number).worker.kill();
        return () => restart(number, choice);
      },
    },
    {
      ...{ kind: "worker-leave", on: "worker", shortestMs: 50, longestMs: 3_000 },
      inject: async ({ worker: number, choice }) => {
        await fleet.slot(number).leave(3_000);
        return () => restart(number, choice);
      },
    },
    {
      // A second process under the same id: the first one is fenced and ends.
      ...{ kind: "worker-double", on: "worker", shortestMs: 500, longestMs: 2_000 },
      inject: async ({ worker: number }) => {
        const slot = fleet.slot(number);
        const older = slot.worker;
        await slot.start("same").joined;
        return () => older.kill();
      },
    },
    {
      ...{ kind: "clock-step", on: "worker", shortestMs: 100, longestMs: 1_000 },
      inject: async ({ worker: number, choice }) => {
        const slot = fleet.slot(number);
        slot.wallClock = Math.round((choice - 0.5) * 24 * HOUR_MS);
        return async () => {
          slot.wallClock = Math.round((choice - 0.5) * HOUR_MS);
        };
      },
    },
    {
      ...{ kind: "max-change", on: "fleet", shortestMs: 3_000, longestMs: 8_000 },
      inject: async ({ choice }) => {
        await roll(fleet, Math.round(MAX * (LOWERED + choice * 0.3)));
        return () => roll(fleet, MAX);
      },
    },
  ];
}

async function roll(fleet: Fleet, max: number): Promise<void> {
  for (const slot of fleet.slots) {
    slot.max = max;
    await new Promise((resolve) => setTimeout(resolve, ROLLING_MS));
  }
}
