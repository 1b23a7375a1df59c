import { checkSpendHistory, type SpendOperation } from "@dt/conformance";
import { describe, expect, it } from "vitest";
import { soundSpendHistory } from "./support/spend-history.ts";

const SEEDS = [1, 2, 3, 4, 5];

describe("a history of a sound ledger has a sequential explanation", () => {
  it.each(SEEDS)("with overlapping calls (seed %i)", (seed) => {
    const operations = soundSpendHistory({ seed, operations: 80, clients: 6 });
    expect(checkSpendHistory(operations)).toMatchObject({ verdict: "linearizable" });
  });

  it.each(SEEDS)("with a clock of whole milliseconds (seed %i)", (seed) => {
    const operations = soundSpendHistory({ seed, operations: 60, clients: 8, wholeMs: true });
    expect(checkSpendHistory(operations)).toMatchObject({ verdict: "linearizable" });
  });

  it.each(SEEDS)("and one with lost answers is never found wrong (seed %i)", (seed) => {
    const operations = soundSpendHistory({ seed, operations: 60, clients: 6, lost: 0.1 });
    expect(checkSpendHistory(operations, { maxSteps: 20_000 }).verdict).not.toBe("not linearizable");
  });
});

describe("a history has none", () => {
  it.each(SEEDS)("when settlements are answered and never done (seed %i)", (seed) => {
    const operations = soundSpendHistory({ seed, operations: 60, clients: 4, forgetSettlements: true });
    expect(checkSpendHistory(operations)).toMatchObject({ verdict: "not linearizable" });
  });

  it.each(["rests", "atMs", "waitMs", "storeTimeMs"] as const)("when one answer has another %s", (field) => {
    const operations = soundSpendHistory({ seed: 1, operations: 40, clients: 4 });
    const broken = operations.map((operation, index) => (index === 25 ? altered(operation, field) : operation));
    const verdict = checkSpendHistory(broken);
    expect(verdict).toMatchObject({ verdict: "not linearizable" });
    expect(verdict).toHaveProperty("explanation", expect.stringContaining("cannot be explained"));
  });

  it("when a call is answered as if one that had ended before it had not been", () => {
    const [first, second] = soundSpendHistory({ seed: 2, operations: 2, clients: 1 }) as [
      SpendOperation,
      SpendOperation,
    ];
    expect(checkSpendHistory([first, second]).verdict).toBe("linearizable");
    const late = { ...first, startMs: second.startMs + 100, endMs: (second.endMs as number) + 100 };
    expect(checkSpendHistory([second, late]).verdict).toBe("not linearizable");
  });
});

it("a lost call whose effect another answer shows is taken as done", () => {
  const operations = soundSpendHistory({ seed: 3, operations: 2, clients: 1 });
  const [first, second] = operations as [SpendOperation, SpendOperation];
  const lost = { ...first, endMs: undefined, answer: undefined };
  const again = { ...first, startMs: first.endMs as number, endMs: second.startMs };
  expect(first.answer?.granted).toBe(true);
  const repeat = { ...again, answer: first.answer && { ...first.answer, storeTimeMs: first.answer.storeTimeMs + 0.5 } };
  expect(checkSpendHistory([lost, repeat]).verdict).toBe("linearizable");
});

it("a search that takes too long is undecided", () => {
  const operations = soundSpendHistory({ seed: 1, operations: 40, clients: 4 });
  expect(checkSpendHistory(operations, { maxSteps: 10 })).toEqual({ verdict: "undecided", steps: 10 });
});

function altered(operation: SpendOperation, field: "rests" | "atMs" | "waitMs" | "storeTimeMs"): SpendOperation {
  const { answer } = operation;
  if (!answer) throw new Error("no answer");
  const value = field === "rests" ? answer.rests.map((rest) => rest - 1) : answer[field] + 1_000_000;
  return { ...operation, answer: { ...answer, [field]: value } };
}
