import { decodePermits, encodePermits, type PermitDocument } from "@dt/cas";
import { isDtError } from "@dt/core";
import {
  inspectPermits,
  MemoryPermitTable,
  meaningfulForMs,
  releasePermits,
  reservePermits,
  resetPermits,
} from "@dt/core/ledger";
import { comparePermits, REACHABLE, type Reached } from "@dt-tooling/simulator/permit-operations";
import { describe, expect, it } from "vitest";

const use = { by: "c", sharedMs: null, reservedMs: 0, gapMs: 0 };
const request = { count: 1, cost: 1, everyMs: 10, burst: 1, maxReserved: 1e9, keepMs: 1_000, queueMs: 0 };

function documentWith(reservations: number): PermitDocument {
  const table = new MemoryPermitTable();
  for (let i = 0; i < reservations; i++) reservePermits(table, { ...request, id: String(i).padStart(20, "0") }, 1.7e12);
  return { table, releases: 0, use };
}

function refusal(act: () => unknown): { readonly code: unknown; readonly message: string } {
  try {
    act();
  } catch (error) {
    if (isDtError(error)) return error;
  }
  throw new Error("it was accepted");
}

describe("a key's permits in one value", () => {
  it("are the arithmetic of core to the last digit, though every operation reads and writes them anew", async () => {
    const reached = new Set<Reached>();
    for (let seed = 1; seed <= 30; seed++) {
      let text: string | undefined;
      const change = <T>(act: (table: MemoryPermitTable) => T): T => {
        const document = text === undefined ? documentWith(0) : decodePermits(text, "here");
        const result = act(document.table);
        text = encodePermits(document);
        expect(encodePermits(decodePermits(text, "here"))).toBe(text);
        return result;
      };
      const ledger = {
        reserve: async (_: string, wanted: Parameters<typeof reservePermits>[1], clockMs: number) =>
          change((table) => reservePermits(table, wanted, clockMs)),
        release: async (_: string, back: Parameters<typeof releasePermits>[1], clockMs: number) => {
          if (text !== undefined) change((table) => releasePermits(table, back, clockMs));
        },
        reset: async (_: string, clockMs: number) => {
          // Nothing is written for a key that there is not.
          if (text !== undefined) change((table) => resetPermits(table, clockMs));
        },
        inspect: async (key: string, clockMs: number) =>
          text === undefined ? undefined : inspectPermits(decodePermits(text, "here").table, key, clockMs),
      };
      for (const what of await comparePermits(ledger, { seed, operations: 300, startMs: 1e6 })) reached.add(what);
    }
    expect([...reached].sort()).toEqual([...REACHABLE].sort());
  });

  it("take less than a hundred bytes and as many for each reservation that is known", () => {
    expect(encodePermits(documentWith(1)).length).toBeLessThan(220);
    expect(encodePermits(documentWith(101)).length / 100).toBeLessThan(110);
  });

  it("mean something until the last instant is past and the last entry and place in the queue forgotten", () => {
    expect(meaningfulForMs(documentWith(0).table.state())).toBe(0);
    const document = documentWith(5);
    expect(meaningfulForMs(document.table.state())).toBe(40 + 1_000);
    const refused = { ...request, id: "late", maxReserved: 0, queueMs: 9_000 };
    reservePermits(document.table, refused, 1.7e12);
    expect(meaningfulForMs(document.table.state())).toBe(50 + 9_000);
  });

  it("are refused with the remedy when they would not fit", () => {
    const { code, message } = refusal(() => encodePermits(documentWith(4_000)));
    expect(code).toBe("DT_STORE_UNAVAILABLE");
    expect(message).toContain("4000 reservations of this key");
    expect(message).toContain("lower maxReserved");
  });

  it("are refused with the place when they are something else", () => {
    const document = documentWith(2);
    const late = { ...request, id: "late", maxReserved: 0, queueMs: 9_000 };
    reservePermits(document.table, late, 1.7e12);
    releasePermits(document.table, { id: "0".repeat(20), keep: 0 }, 1.7e12);
    document.table.addFreed({ atMs: 2e12, widthMs: 1 });
    const good = JSON.parse(encodePermits(document)) as Record<string, unknown[][]>;
    const swap = (list: string, index: number, value: unknown): unknown => ({
      ...good,
      [list]: [(good[list]?.[0] ?? []).map((old, at) => (at === index ? value : old))],
    });
    for (const [what, broken] of [
      ["format version f2", { ...good, v: "f2" }],
      // As a checkout from before format 1 wrote it.
      ["format version 1", { ...good, v: 1, row: [1, 2, 3] }],
      ["no list of entries", { ...good, entries: {} }],
      ["no list of freed", { ...good, freed: undefined }],
      ["no list of queue", { ...good, queue: "x" }],
      ["3 fields where 8 belong", { ...good, row: [1, 2, 3] }],
      ["0 fields where 8 belong", { ...good, row: undefined }],
      ["tatMs -1", { ...good, row: [-1, 0, 0, null, null, null, null, null] }],
      ["terms 7", { ...good, row: [0, 0, 0, 7, null, null, null, null] }],
      ["pausedUntilMs -2", { ...good, row: [0, 0, 0, null, null, -2, null, null] }],
      ["stored ", { ...good, row: [0, 0, 0, null, null, null, { revision: 1, values: { everyMs: 0 } }, null] }],
      ["by", { ...good, use: ["", null, 0, 0, 0] }],
      ["id", swap("entries", 0, 7)],
      ["granted", swap("entries", 1, 0.5)],
      ["firstMs", swap("entries", 2, null)],
      ["forgetAtMs", swap("entries", 6, "soon")],
      ["atMs", swap("freed", 0, null)],
      ["untilMs", swap("queue", 1, -5)],
    ] as const) {
      const { code, message } = refusal(() => decodePermits(JSON.stringify(broken), "key x"));
      expect(code, what).toBe("DT_STORE_DATA");
      expect(message).toMatch(/^key x holds /);
      expect(message).toContain(what);
    }
    for (const text of ["", "[]", "null", "{"])
      expect(refusal(() => decodePermits(text, "key x")).code).toBe("DT_STORE_DATA");
  });
});
