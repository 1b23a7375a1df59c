import { DtError } from "@dt/core";

/** A list of texts, at least `least` long. @throws DtError `DT_STORE_REPLY` */
export function texts(reply: unknown, least: number): readonly string[] {
  if (!Array.isArray(reply) || reply.length < least || !reply.every((part) => typeof part === "string")) {
    throw unexpectedReply(reply, `a list of at least ${least} strings`);
  }
  return reply as string[];
}

/** The finite number that a text is. @throws DtError `DT_STORE_REPLY` */
export function number(text: string | undefined): number {
  const value = text === undefined || text === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw unexpectedReply(text, "a number");
  return value;
}

/** A number, or null for an empty text. @throws DtError `DT_STORE_REPLY` */
export function optionalNumber(text: string | undefined): number | null {
  return text === "" ? null : number(text);
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
