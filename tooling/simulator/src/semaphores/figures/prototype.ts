import { readFileSync } from "node:fs";
import type { Cell } from "./cell.ts";
import type { Figures } from "./meter.ts";

/** What the prototype measured of one fleet: rounded as it prints. `make-prototype.ts` made the file. */
export interface PrototypeRow extends Cell, Partial<Readonly<Record<keyof Figures, number | null>>> {}

const NAMES = ["load", "system"] as const satisfies readonly (keyof Cell)[];

/** The columns of the file. */
export const COLUMNS: readonly (keyof PrototypeRow)[] = [
  ...NAMES,
  ...(["seed", "rttMs", "lost", "turnMs"] as const),
  ...(["use", "slots", "commandsPerSlot", "commandsPerSecond", "jain"] as const),
  ...(["waitP50Ms", "waitP99Ms", "waitMostMs", "handP50Ms", "handP99Ms"] as const),
  ...(["lightP50Ms", "lightP99Ms", "backMs"] as const),
];

export const PROTOTYPE: readonly PrototypeRow[] = read();

function read(): PrototypeRow[] {
  const text = readFileSync(new URL("./prototype.tsv", import.meta.url), "utf8");
  const [head = [], ...rows] = text
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  return rows.map(
    (row) =>
      Object.fromEntries(head.map((column, place) => [column, cellOf(column, row[place])])) as unknown as PrototypeRow,
  );
}

function cellOf(column: string, text: string | undefined): string | number | null | undefined {
  if ((NAMES as readonly string[]).includes(column)) return text;
  return text === "-" ? null : Number(text);
}
