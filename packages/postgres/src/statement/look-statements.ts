import { PAGE_SIZE } from "@dt/core/ledger";
import list from "../sql/looks/list.sql";
import permits from "../sql/looks/permits.sql";
import { literal } from "./literal.ts";

/** The names of a page, from after this one on. @param schema quoted */
export function listStatement(what: "groups" | "keys", after: string, schema: string): string {
  const table = what === "groups" ? "dt_group" : "dt_permit_key";
  return filled(list, { schema, table, after: literal(after), count: String(PAGE_SIZE) });
}

/** What is known of a key of permits. @param schema quoted */
export function inspectPermitsStatement(key: string, schema: string): string {
  return filled(permits, { schema, key: literal(key) });
}

/** The statement without its header, with values in their places: in one go, since a value may look like a place. */
function filled(sql: string, values: Readonly<Record<string, string>>): string {
  return sql.replaceAll(/^--.*\n/gm, "").replaceAll(/\{(\w+)\}/g, (_, name) => values[name as string] as string);
}
