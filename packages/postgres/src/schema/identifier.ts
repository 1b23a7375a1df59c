import { invalidOption } from "@dt/core/ledger";

/** PostgreSQL cuts longer identifiers off without an error worth the name: two schemas could become one. */
const LONGEST_IDENTIFIER = 63;

/**
 * The name of a schema, quoted. It also stands inside functions' bodies, so it may hold neither quotes nor dollar
 * signs.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function quotedSchema(value: unknown): string {
  if (typeof value !== "string" || !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(value) || value.length > LONGEST_IDENTIFIER)
    throw invalidOption(
      "schema",
      value,
      `give 1 to ${LONGEST_IDENTIFIER} letters (ASCII), digits, _ and -, beginning with a letter or _`,
    );
  if (/^pg_/i.test(value)) throw invalidOption("schema", value, "names that begin with pg_ belong to PostgreSQL");
  return `"${value}"`;
}
