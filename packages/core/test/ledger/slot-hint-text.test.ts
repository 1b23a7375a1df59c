import { expect, it } from "vitest";
import type { SlotHint } from "../../src/index.ts";
import { readSlotHint, writeSlotHint } from "../../src/ledger/index.ts";

const HINTS: readonly SlotHint[] = [
  { kind: "offer", held: 3, seq: 9_007_199_254_740_991, waterLevel: 0, wanted: true },
  { kind: "offer", held: 1, seq: 7, waterLevel: 1e12, wanted: false },
  { kind: "ask", give: 0, waterLevel: 2 },
];

it.each(HINTS)("%j is the same after its text", (hint) => {
  expect(readSlotHint(writeSlotHint(hint))).toEqual(hint);
});

it.each([
  undefined,
  "",
  "offer",
  "offer 1 2 3",
  "offer 1 2 3 0 5",
  "offer 1 -2 3 0",
  "offer 1 2.5 3 0",
  "offer 1 x 3 0",
  "ask 1",
  "ask 1 2 3",
  "ask 1e999 2",
  "give 1 2",
  "\u0000",
])("%j is no hint", (text) => {
  expect(readSlotHint(text)).toBeUndefined();
});
