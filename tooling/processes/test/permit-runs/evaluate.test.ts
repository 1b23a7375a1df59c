import { describe, expect, it } from "vitest";
import { type EvaluatedRun, evaluate } from "../../src/permit-runs/evaluate.ts";
import type { Arrival, Reserved, WorkerReport } from "../../src/permit-runs/settings.ts";

const settings: EvaluatedRun = {
  processes: 2,
  permits: 40,
  everyMs: 10,
  maxReserved: 3,
  callers: 1,
  store: "forged",
  configuration: "",
  clockErrorMs: 0,
};

/** Forty permits 10 ms apart, in turns. */
function reports(): { readonly workers: (WorkerReport & { reserved: Reserved[] })[]; readonly arrivals: Arrival[] } {
  const worker = (number: number) => ({
    worker: number,
    reserved: Array.from({ length: 20 }, (_, i) => {
      const instantMs = 1_000 + (2 * i + number) * 10;
      return { instantsMs: [instantMs], kept: 1, storeTimeMs: instantMs - 5, reservedAhead: 1 };
    }),
    used: 20,
    lateMs: [0.5],
    wasted: 0,
    errors: [] as string[],
  });
  return {
    workers: [worker(0), worker(1)],
    arrivals: Array.from({ length: 40 }, (_, i) => ({ worker: i % 2, atMs: 7_000 + i * 10 + (i % 3) })),
  };
}

describe("a run is judged", () => {
  it("as right when everything is", () => {
    const { workers, arrivals } = reports();
    const result = evaluate(workers, arrivals, settings);
    expect(result.violations).toEqual([]);
    expect(result).toMatchObject({ kept: 40, used: 40, closestMs: 10, unusedIntervals: 0, durationMs: 390 });
    expect(result.lateMs).toMatchObject({ min: 0.5, max: 0.5 });
    expect(result.arrivals.gapErrorMs).toMatchObject({ min: -2, max: 1 });
  });

  it.each<[string, (forged: ReturnType<typeof reports>) => unknown, RegExp]>([
    [
      "two permits are too close",
      ({ workers }) => {
        (workers[1]?.reserved as Reserved[])[7] = { instantsMs: [1_146], kept: 1, storeTimeMs: 0, reservedAhead: 0 };
      },
      /1 pairs of permits were closer than 10 ms: 6/,
    ],
    [
      "a permit is lost",
      ({ workers }) => Object.assign(workers[0] as object, { used: 19 }),
      /40 permits were kept, 39 used/,
    ],
    [
      "a permit is used that was given back",
      ({ workers }) => {
        (workers[0]?.reserved[3] as Reserved).kept = 0;
      },
      /39 permits were kept, 40 used/,
    ],
    [
      "too many are reserved ahead",
      ({ workers }) => Object.assign(workers[0]?.reserved[3] as object, { reservedAhead: 4 }),
      /4 permits were reserved ahead; the bound is 3/,
    ],
    [
      "one process has more than its part",
      ({ workers }) => {
        const moved = workers[1]?.reserved.splice(0, 3) as Reserved[];
        workers[0]?.reserved.push(...moved);
        Object.assign(workers[0] as object, { used: 23 });
        Object.assign(workers[1] as object, { used: 17 });
      },
      /processes had 17 to 23 permits; even are 20/,
    ],
    ["a request is missing", ({ arrivals }) => arrivals.pop(), /39 requests came for 40 permits/],
    [
      "a call failed",
      ({ workers }) => Object.assign(workers[0] as object, { errors: ["DtError: gone"] }),
      /1 calls failed, such as DtError: gone/,
    ],
  ])("as wrong when %s", (_, forge, complaint) => {
    const forged = reports();
    forge(forged);
    const { violations } = evaluate(forged.workers, forged.arrivals, settings);
    expect(violations.join("\n")).toMatch(complaint);
  });

  it("with what a clock without a server allows", () => {
    const { workers, arrivals } = reports();
    (workers[1]?.reserved as Reserved[])[7] = { instantsMs: [1_146], kept: 1, storeTimeMs: 0, reservedAhead: 0 };
    expect(evaluate(workers, arrivals, { ...settings, clockErrorMs: 5 }).violations).toEqual([]);
  });
});
