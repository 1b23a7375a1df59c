import { DtError } from "@dt/core";

/** A list of texts, at least `least` long. @throws DtError `DT_STORE_REPLY` */
export function texts(reply: unknown, least: number): readonly string[] {
  if (!Array.isArray(reply) || reply.length < least || !reply.every((part) => typeof part === "string")) {
    throw unexpectedReply(reply, `a list of at least ${least} strings`);
  }
  return reply as string[];
}

/** A text, or a whole number as it is. */
export type Field = string | number;

/** A list of texts and whole numbers, at least `least` long. @throws DtError `DT_STORE_REPLY` */
export function fields(reply: unknown, least: number): readonly Field[] {
  const isField = (part: unknown): part is Field => typeof part === "string" || typeof part === "number";
  if (!Array.isArray(reply) || reply.length < least || !reply.every(isField))
    throw unexpectedReply(reply, `a list of at least ${least} strings and integers`);
  return reply;
}

/** The finite number that a field is. @throws DtError `DT_STORE_REPLY` */
export function number(field: Field | undefined): number {
  const value = field === undefined || field === "" ? Number.NaN : Number(field);
  if (!Number.isFinite(value)) throw unexpectedReply(field, "a number");
  return value;
}

/** A time in milliseconds, in two parts: see `exact` in ledger.lua. @throws DtError `DT_STORE_REPLY` */
export function time(whole: Field | undefined, beyond: Field | undefined): number {
  return number(whole) + number(beyond) / 2 ** 20;
}

/** A number, or null for an empty text. @throws DtError `DT_STORE_REPLY` */
export function optionalNumber(field: Field | undefined): number | null {
  return field === "" ? null : number(field);
}

export function unexpectedReply(reply: unknown, expected: string): DtError {
  const shown = JSON.stringify(reply) ?? String(reply);
  return new DtError(
    "DT_STORE_REPLY",
    `a script answered ${shown.length > 200 ? `${shown.slice(0, 197)}...` : shown} instead of ${expected}; ` +
      "a client handed in must return replies unchanged, with bulk strings as strings",
    { effect: "unknown" },
  );
}
