import { describe, expect, it } from "vitest";
import type { Entry, WorkerLog } from "../../src/permits/log.ts";
import { measure } from "../../src/permits/measure.ts";

const settings = { processes: 2, permits: 40, everyMs: 10, maxReserved: 3, callers: 1 };

/** Forty permits 10 ms apart, in turns. */
function logs(): { readonly worker: number; readonly entries: Entry[] }[] {
  const entriesOf = (worker: number): Entry[] =>
    Array.from({ length: 20 }, (_, i): Entry[] => {
      const atMs = 1_000 + (2 * i + worker) * 10;
      const clock = { storeTimeMs: atMs - 5, sentMs: atMs - 6, receivedMs: atMs - 4 };
      return [
        { type: "answered", id: `${worker}-${i}`, instantsMs: [atMs], reservedAhead: 1, ...clock },
        { type: "settled", call: i, atMs: atMs + 0.5 + (i % 2), outcome: "granted", lateMs: 0.5 },
      ];
    }).flat();
  return [0, 1].map((worker) => ({ worker, entries: entriesOf(worker) }));
}

const measured = (changed: ReturnType<typeof logs>) =>
  measure(
    changed.map((log): WorkerLog => ({ ...log, killed: false, ended: true, stoppedMs: [] })),
    settings,
  );

describe("a run without faults", () => {
  it("is right when everything is", () => {
    const result = measured(logs());
    expect(result.violations).toEqual([]);
    expect(result).toMatchObject({ reservations: 40, used: 40, mostAhead: 1, unusedIntervals: 0, durationMs: 390 });
    expect(result.perProcess).toEqual({ least: 20, mean: 20, most: 20, spread: 0 });
    expect(result.lateMs).toMatchObject({ min: 0.5, max: 0.5 });
    expect(result.gapErrorMs).toMatchObject({ min: -1, max: 1 });
  });

  it.each<[string, (all: ReturnType<typeof logs>) => unknown, RegExp]>([
    ["too few permits are used", ([first]) => first?.entries.pop(), /39 permits were used, not 40/],
    [
      "one process has more than its part",
      ([first, second]) => first?.entries.push(...(second?.entries.splice(0, 6) ?? [])),
      /processes had 17 to 23 permits; even are 20/,
    ],
    [
      "a call of the store failed",
      ([first]) => first?.entries.push({ type: "failed", error: "DtError: gone" }),
      /1 calls failed, such as DtError: gone/,
    ],
    [
      "a caller was given no permit",
      ([first]) => first?.entries.push({ type: "settled", call: 99, atMs: 1_500, outcome: "none" }),
      /1 calls failed, such as none/,
    ],
  ])("is wrong when %s", (_, change, complaint) => {
    const changed = logs();
    change(changed);
    expect(measured(changed).violations.join("\n")).toMatch(complaint);
  });

  it("may end while callers wait, and counts the instants that no process had", () => {
    const changed = logs();
    changed[0]?.entries.push({ type: "settled", call: 99, atMs: 1_500, outcome: "DT_STOPPED" });
    expect(measured(changed).violations).toEqual([]);
    changed[1]?.entries.splice(4, 2);
    expect(measured(changed).unusedIntervals).toBe(1);
  });
});
