import { invalidOption } from "@dt/core/kit";

/** PostgreSQL cuts longer names off. */
const LONGEST = 63;

/**
 * A table's name, with or without its schema, each quoted.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function quotedTable(value: unknown): string {
  const parts = typeof value === "string" ? value.split(".") : [];
  const isName = (part: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(part) && part.length <= LONGEST;
  if (parts.length < 1 || parts.length > 2 || !parts.every(isName)) {
    const remedy = `give a name such as "later" or "app.later": 1 to ${LONGEST} letters (ASCII), digits, _ and -, beginning with a letter or _`;
    throw invalidOption("table", value, remedy);
  }
  return parts.map((part) => `"${part}"`).join(".");
}
