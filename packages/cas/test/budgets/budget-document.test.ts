import { type BudgetDocument, decodeBudget, encodeBudget } from "@dt/cas";
import { isDtError, type SpendRequest } from "@dt/core";
import { inspectBudget, MemoryBudgetTable, spend } from "@dt/core/ledger";
import { compareBudgets, compareEdges, REACHABLE, type Reached } from "@dt-tooling/simulator/budget-operations";
import { describe, expect, it } from "vitest";

const use = { by: "c", sharedMs: null, reservedMs: 0, gapMs: 0 };
const TOKENS = { name: "tokens", max: 1e9, windowMs: 60_000, burst: 1e9 };
const reserve = { id: "first", costs: [10], tier: 0, maxWaitMs: 1e9, keepMs: 600_000 };

function documentWith(leases: number, request: Partial<SpendRequest> = {}): BudgetDocument {
  const table = new MemoryBudgetTable();
  for (let i = 0; i < leases; i++) {
    const own = { ...reserve, id: String(i).padStart(20, "0") };
    spend(table, { limits: [TOKENS], keeps: [0], reserve: own, ...request }, 1.7e12 + i * 10);
  }
  return { table, use };
}

function refusal(act: () => unknown): { readonly code: unknown; readonly message: string } {
  try {
    act();
  } catch (error) {
    if (isDtError(error)) return error;
  }
  throw new Error("it was accepted");
}

describe("a budget in one value", () => {
  it("is the arithmetic of core to the last digit, though every operation reads and writes it anew", async () => {
    const texts = new Map<string, string>();
    const tableOf = (budget: string): MemoryBudgetTable => {
      const text = texts.get(budget);
      return text === undefined ? new MemoryBudgetTable() : decodeBudget(text, "here").table;
    };
    const ledger = {
      spend: async (budget: string, request: SpendRequest, clockMs: number) => {
        const table = tableOf(budget);
        const answer = spend(table, request, clockMs);
        const text = encodeBudget({ table, use });
        texts.set(budget, text);
        expect(encodeBudget(decodeBudget(text, "here"))).toBe(text);
        return answer;
      },
      reset: async (budget: string) => void texts.delete(budget),
      inspect: async (budget: string, clockMs: number) => inspectBudget(tableOf(budget), budget, clockMs),
    };
    const reached = new Set<Reached>();
    for (let seed = 1; seed <= 30; seed++) {
      const options = { seed, operations: 300, startMs: 1e6, budget: `b${seed}` };
      for (const what of await compareBudgets(ledger, options)) reached.add(what);
    }
    await compareEdges(ledger, 1e6);
    expect([...reached].sort()).toEqual([...REACHABLE].sort());
  });

  it("takes some 300 bytes, as many for each lease that is known as for a line of text, and 5 KB for a limit", () => {
    expect(encodeBudget(documentWith(1)).length).toBeLessThan(350);
    const [few, many] = [documentWith(1), documentWith(101)];
    expect((encodeBudget(many).length - encodeBudget(few).length) / 100).toBeLessThan(90);
    const table = new MemoryBudgetTable();
    for (let i = 0; i < 1_000; i++) {
      const own = { ...reserve, id: `r${i}`, costs: [100 / 3], keepMs: 0 };
      spend(table, { limits: [TOKENS], keeps: [0], reserve: own }, 1.7e12 + i * 250.1);
    }
    expect(encodeBudget({ table, use }).length).toBeLessThan(6_000);
  });

  it("is refused with the remedy when it would not fit", () => {
    const { code, message } = refusal(() => encodeBudget(documentWith(5_000)));
    expect(code).toBe("DT_STORE_UNAVAILABLE");
    expect(message).toContain("5000 leases of this budget are not settled");
    expect(message).toContain("settle each lease");
  });

  it("is refused with the place when it is something else", () => {
    const good = JSON.parse(encodeBudget(documentWith(2)));
    type Change = (document: typeof good) => void;
    const broken = (change: Change): string => {
      const copy = structuredClone(good);
      change(copy);
      return JSON.stringify(copy);
    };
    for (const [what, change] of [
      ["format version f2", (document) => (document.v = "f2")],
      ["format version f3", (document) => (document.row[0] = "f3")],
      ["no list where a budget belongs", (document) => (document.row = null)],
      ["no list of leases", (document) => (document.leases = {})],
      ["lastMs -1", (document) => (document.row[1][0] = -1)],
      ["terms 7", (document) => (document.row[1][3] = 7)],
      ["4 fields where 5 belong", (document) => document.row[1].pop()],
      ["no list where limits belongs", (document) => (document.row[2] = "x")],
      ["no list where a limit belongs", (document) => (document.row[2][0] = 7)],
      ['name ""', (document) => (document.row[2][0][0][0] = "")],
      ["max 0", (document) => (document.row[2][0][0][1] = 0)],
      ["with windowMs 0", (document) => (document.row[2][0][0][2] = 0)],
      ["surplus null", (document) => (document.row[2][0][0][4] = null)],
      ["variance -1", (document) => (document.row[2][0][0][5] = -1)],
      ["slots [0.5", (document) => (document.row[2][0][1] = [0.5])],
      ["slots [1,0", (document) => (document.row[2][0][1] = [1, 0])],
      ["units [-1", (document) => (document.row[2][0][2] = [-1])],
      ["2 units where 1 belong", (document) => (document.row[2][0][2] = [1, 2])],
      ["no list where paceMs belongs", (document) => (document.row[2][0][3] = 5)],
      ["id 7", (document) => (document.leases[0][0] = 7)],
      ['atMs "now"', (document) => (document.leases[1][1] = "now")],
      ["no list where costs belongs", (document) => (document.leases[0][6] = null)],
      ["costs [null]", (document) => (document.leases[0][6] = [null])],
      ["by", (document) => (document.use = ["", null, 0, 0])],
    ] as readonly (readonly [string, Change])[]) {
      const { code, message } = refusal(() => decodeBudget(broken(change), "key x"));
      expect(code, what).toBe("DT_STORE_DATA");
      expect(message).toMatch(/^key x holds /);
      expect(message).toContain(what);
      expect(message).toContain("resetBudget(name)");
    }
    for (const text of ["", "[]", "null", "{"])
      expect(refusal(() => decodeBudget(text, "key x")).code).toBe("DT_STORE_DATA");
  });
});
