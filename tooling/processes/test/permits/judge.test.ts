import { describe, expect, it } from "vitest";
import { judge } from "../../src/permits/judge.ts";
import { type Entry, parseLog, type WorkerLog } from "../../src/permits/log.ts";

const PACER = { every: 20, maxReserved: 5, permitTtl: 100, storeTimeout: 1_000 };
/** The store's clock less the machine's. */
const OFFSET_MS = 1e12;

/** A worker that was answered one permit, used it and closed. */
function honest(worker: number, instantMs: number): Entry[] {
  return [
    { type: "entered", call: 1, atMs: instantMs - 31, timeoutMs: 1_000 },
    {
      type: "answered",
      id: `w${worker}`,
      instantsMs: [OFFSET_MS + instantMs],
      storeTimeMs: OFFSET_MS + instantMs - 30,
      reservedAhead: 1,
      sentMs: instantMs - 30.1,
      receivedMs: instantMs - 29.9,
    },
    { type: "settled", call: 1, atMs: instantMs + 1, outcome: "granted" },
    { type: "closed", wasted: 0 },
  ];
}

function log(worker: number, entries: readonly Entry[], changes: Partial<WorkerLog> = {}): WorkerLog {
  return { worker, entries, killed: false, ended: true, stoppedMs: [], ...changes };
}

const verdict = (logs: readonly WorkerLog[]): readonly string[] =>
  judge(logs, PACER, { calmFromMs: 0, calmUntilMs: 1e6, newcomer: 1, hybridClock: false }).violations;

/** Two honest workers, of which the first is changed. */
function changed(change: (entry: Entry) => Entry[], fate: Partial<WorkerLog> = {}): readonly string[] {
  return verdict([log(0, honest(0, 1_000).flatMap(change), fate), log(1, honest(1, 1_020))]);
}

describe("the judge", () => {
  it("finds nothing wrong with honest workers", () => {
    expect(changed((entry) => [entry])).toEqual([]);
  });

  it.each<[string, (entry: Entry) => Entry[], RegExp]>([
    ["an early use", (e) => [e.type === "settled" ? { ...e, atMs: 990 } : e], /not yet due/],
    ["a use after permitTtl", (e) => [e.type === "settled" ? { ...e, atMs: 1_200 } : e], /too old/],
    [
      "a use that was decided on after permitTtl",
      (e) => [e.type === "settled" ? { ...e, decidedMs: 1_102, atMs: 1_103 } : e],
      /too old/,
    ],
    ["two uses of one instant", (e) => (e.type === "settled" ? [e, { ...e, call: 2 }] : [e]), /not its own/],
    [
      "a use of what was given back",
      (e) => (e.type === "settled" ? [{ type: "gave-back", id: "w0", keep: 0 }, e] : [e]),
      /not its own/,
    ],
    [
      "instants too close",
      (e) => [e.type === "answered" ? { ...e, instantsMs: [OFFSET_MS + 1_001] } : e],
      /1 permits were closer/,
    ],
    [
      "a reservation beyond the bound",
      (e) => [e.type === "answered" ? { ...e, instantsMs: [...e.instantsMs, OFFSET_MS + 1_200] } : e],
      /reserved 230 ms ahead/,
    ],
    [
      "more permits reserved ahead than the bound",
      (e) => [e.type === "answered" ? { ...e, reservedAhead: 6 } : e],
      /told of 6 permits reserved ahead; the bound is 5/,
    ],
    ["waste that is not counted", (e) => (e.type === "settled" ? [{ ...e, outcome: "none" }] : [e]), /did not use/],
    ["a call that never settles", (e) => (e.type === "settled" ? [] : [e]), /never settled/],
    ["a call that settles late", (e) => (e.type === "entered" ? [e, { ...e, call: 1, atMs: -5_000 }] : [e]), /late/],
  ])("finds %s", (_what, change, violation) => {
    expect(changed(change).join("\n")).toMatch(violation);
  });

  it("finds nothing wrong with a caller that runs late on a busy machine, after its permit was given out in time", () => {
    expect(
      changed((entry) => [entry.type === "settled" ? { ...entry, decidedMs: 1_001, atMs: 1_400 } : entry]),
    ).toEqual([]);
  });

  it("finds a worker that does not end by itself, and a newcomer that gets nothing", () => {
    expect(changed((entry) => [entry], { ended: false })).toEqual(["worker 0 did not end by itself"]);
    const [first, ...rest] = honest(1, 1_020);
    const starved = [first as Entry, ...rest.filter(({ type }) => type === "closed")];
    expect(verdict([log(0, honest(0, 1_000)), log(1, starved)])).toContain(
      "a newcomer had no permit after everybody had left",
    );
  });

  it("does not count the half line that a killed worker leaves", () => {
    expect(parseLog('{"type":"closed","wasted":1}\n{"type":"clo')).toEqual([{ type: "closed", wasted: 1 }]);
  });
});
