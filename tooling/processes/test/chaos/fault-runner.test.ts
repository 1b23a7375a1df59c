import { expect, test } from "vitest";
import type { Fault } from "../../src/chaos/faults/fault.ts";
import { runFaults } from "../../src/chaos/run/fault-runner.ts";
import type { PlannedFault } from "../../src/chaos/schedule/plan-faults.ts";

const never = new AbortController().signal;
const quiet = (): void => {};
const planned = (atMs: number, durationMs: number, worker = 1): PlannedFault => ({
  ...{ kind: "kill", on: "worker", atMs, durationMs, worker, choice: 0 },
});

/** A fault that notes what happens, and takes so long to mend. */
function noted(notes: string[], mendMs = 0): Fault {
  return {
    ...{ kind: "kill", on: "worker", shortestMs: 0, longestMs: 0 },
    inject: async ({ worker }) => {
      notes.push(`broken ${worker}`);
      return async () => {
        await new Promise((resolve) => setTimeout(resolve, mendMs));
        notes.push(`mended ${worker}`);
      };
    },
  };
}

test("a fault waits until the one before on the same thing is mended, however long that takes, and no other one does", async () => {
  const notes: string[] = [];
  const records = await runFaults(
    [planned(0, 10), planned(20, 10), planned(20, 400, 2)],
    [noted(notes, 100)],
    quiet,
    never,
  );
  expect(notes.slice(0, 4)).toEqual(["broken 1", "broken 2", "mended 1", "broken 1"]);
  expect(notes.slice(4).sort()).toEqual(["mended 1", "mended 2"]);
  expect(records.map(({ worker }) => worker)).toEqual([1, 1, 2]);
  expect(records.every(({ startMs, endMs }) => endMs - startMs >= 100)).toBe(true);
});

test("a fault that cannot be brought about ends the run with its error", async () => {
  const failing: Fault = { ...noted([]), inject: () => Promise.reject(new Error("no such process")) };
  await expect(runFaults([planned(0, 10), planned(60_000, 10)], [failing], quiet, never)).rejects.toThrow(
    "no such process",
  );
});

test("a fault that did not come about is not recorded, and nothing is mended", async () => {
  const none: Fault = { ...noted([]), inject: async () => undefined };
  const said: string[] = [];
  expect(await runFaults([planned(0, 60_000)], [none], (line) => said.push(line), never)).toEqual([]);
  expect(said).toEqual(["   0.0 s  kill 1: did not come about"]);
});

test("the signal ends the run at once with its reason", async () => {
  const reason = new Error("stopped");
  const run = runFaults([planned(0, 60_000)], [noted([])], quiet, AbortSignal.abort(reason));
  await expect(run).rejects.toBe(reason);
});

test("the signal also ends a run in which a fault is never brought about", async () => {
  const stuck: Fault = { ...noted([]), inject: () => new Promise(() => {}) };
  const controller = new AbortController();
  const run = runFaults([planned(0, 10), planned(20, 10)], [stuck], quiet, controller.signal);
  controller.abort(new Error("stopped"));
  await expect(run).rejects.toThrow("stopped");
});
