/** How a table is sorted. */
export interface Order {
  /** The column's id. */
  readonly by: string;
  readonly descending: boolean;
}

/** What a column of a table sorts by; null and undefined come last, either way. */
export type SortValue = number | string | null | undefined;

/** The rows in order; of equal ones the first stays first. A new array. */
export function sorted<Row>(rows: readonly Row[], sortValue: (row: Row) => SortValue, descending: boolean): Row[] {
  const sign = descending ? -1 : 1;
  return rows
    .map((row) => ({ row, value: sortValue(row) ?? null }))
    .sort((one, other) => compared(one.value, other.value, sign))
    .map(({ row }) => row);
}

/** The rows in whose text every word is, in any letter case. */
export function filtered<Row>(rows: readonly Row[], textOf: (row: Row) => string, filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Which rows of a long table are drawn. */
export interface Window {
  readonly from: number;
  /** After the last one. */
  readonly to: number;
}

/** The rows that can be seen, and some more on either side, so that a quick scroll shows no blank. */
export function windowOf(count: number, rowHeight: number, scrolled: number, height: number): Window {
  const first = Math.floor(scrolled / rowHeight) - BESIDE;
  const from = Math.max(0, Math.min(first, count - 1));
  const to = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + BESIDE);
  return { from, to: Math.max(from, to) };
}

const BESIDE = 8;

function compared(one: number | string | null, other: number | string | null, sign: number): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === "string" || typeof other === "string") return sign * COLLATOR.compare(String(one), String(other));
  return sign * (one - other);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });
