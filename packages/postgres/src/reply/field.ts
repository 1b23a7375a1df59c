import { DtError } from "@dt/core";

/** A value as the server sends it: text, or nothing. */
export type Field = string | null | undefined;

/** Rows of at least `width` values, each of them text or null. @throws DtError `DT_STORE_REPLY` */
export function rowsOf(reply: unknown, width: number): readonly (readonly Field[])[] {
  if (!Array.isArray(reply) || !reply.every((row) => isRow(row, width))) {
    throw unexpectedReply(reply, `rows of ${width} values`);
  }
  return reply as Field[][];
}

/** The only row. @throws DtError `DT_STORE_REPLY` */
export function rowOf(reply: unknown, width: number): readonly Field[] {
  const rows = rowsOf(reply, width);
  const [row] = rows;
  if (!row || rows.length > 1) throw unexpectedReply(reply, "one row");
  return row;
}

/** The finite number that a text is. @throws DtError `DT_STORE_REPLY` */
export function number(field: Field): number {
  const value = typeof field === "string" && field !== "" ? Number(field) : Number.NaN;
  if (!Number.isFinite(value)) throw unexpectedReply(field, "a number");
  return value;
}

/** The finite numbers of an array. @throws DtError `DT_STORE_REPLY` */
export function numbers(field: Field): number[] {
  const [, list] = /^\{(.*)\}$/.exec(field ?? "") ?? [];
  if (list === undefined) throw unexpectedReply(field, "an array of numbers");
  return list === "" ? [] : list.split(",").map(number);
}

/** A number, or null for nothing. @throws DtError `DT_STORE_REPLY` */
export function optionalNumber(field: Field): number | null {
  return field === null ? null : number(field);
}

/** @throws DtError `DT_STORE_REPLY` */
export function boolean(field: Field): boolean {
  if (field === "t") return true;
  if (field === "f") return false;
  throw unexpectedReply(field, "t or f");
}

/** @throws DtError `DT_STORE_REPLY` */
export function text(field: Field): string {
  if (typeof field !== "string") throw unexpectedReply(field, "a text");
  return field;
}

export function unexpectedReply(reply: unknown, expected: string): DtError {
  const shown = JSON.stringify(reply) ?? String(reply);
  return new DtError(
    "DT_STORE_REPLY",
    `a statement answered ${shown.length > 200 ? `${shown.slice(0, 197)}...` : shown} instead of ${expected}; ` +
      'a pool handed in must honour rowMode "array" and types, as pg does',
    { effect: "unknown" },
  );
}

function isRow(row: unknown, width: number): boolean {
  return Array.isArray(row) && row.length >= width && row.every((field) => field === null || typeof field === "string");
}
