import { UsageError } from "../exit-code.ts";

/** A record has no such field: it cannot be sent. */
export class NoSuchField extends Error {}

/** Text with places for fields of a record. */
export type Template = (record: unknown) => string;

/** How a field's value stands in the text around it. */
export type Writing = (value: unknown) => string;

/** As JSON, quotes included: for bodies. */
export const asJson: Writing = (value) => JSON.stringify(value);

/** Strings as they are, all else as JSON: for headers. */
export const asText: Writing = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** Escaped: for URLs. */
export const asUrlPart: Writing = (value) => encodeURIComponent(asText(value));

const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * Reads text with places such as `{{user.name}}`; `{{.}}` is the whole record.
 * @param option named in messages
 * @throws UsageError when a place names no field
 */
export function parseTemplate(option: string, text: string, write: Writing): Template {
  const pieces = text.split(PLACE);
  // Text and paths take turns.
  const fields = pieces.map((piece, index) => (index % 2 === 1 ? parsePath(option, piece) : undefined));
  if (pieces.length === 1) return () => text;
  return (record) => pieces.map((piece, index) => (fields[index] ? write(fields[index](record)) : piece)).join("");
}

/** Finds a field of a record. @throws NoSuchField */
export type Field = (record: unknown) => unknown;

/**
 * Reads a path such as `user.name` or `items.0.id`; `.` is the whole record.
 * @throws UsageError
 */
export function parsePath(option: string, path: string): Field {
  if (path === ".") return (record) => record;
  const names = path.split(".");
  if (names.includes(""))
    throw new UsageError(
      `${option} asks for the field "${path}"; give names and dots, such as user.name, or . for all`,
    );
  return (record) => {
    let value = record;
    for (const name of names) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
        throw new NoSuchField(`the record has no field ${path}, which ${option} asks for`);
      value = (value as Readonly<Record<string, unknown>>)[name];
    }
    return value;
  };
}
