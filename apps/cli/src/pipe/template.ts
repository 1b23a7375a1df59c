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

/** Text, and the fields between its pieces: one fewer. */
export interface Places {
  readonly literals: readonly string[];
  readonly fields: readonly Field[];
}

/**
 * Reads text with places such as `{{user.name}}`; `{{.}}` is the whole record.
 * @param option named in messages
 * @throws UsageError when a place names no field
 */
export function parsePlaces(option: string, text: string): Places {
  const pieces = text.split(PLACE);
  return {
    // Text and paths take turns.
    literals: pieces.filter((_, index) => index % 2 === 0),
    fields: pieces.filter((_, index) => index % 2 === 1).map((path) => parsePath(option, path)),
  };
}

/**
 * A template of text with places, each of them written so.
 * @throws UsageError as {@link parsePlaces}
 */
export function parseTemplate(option: string, text: string, write: Writing): Template {
  const { literals, fields } = parsePlaces(option, text);
  return (record) =>
    literals
      .map((literal, index) => {
        const field = fields[index];
        return field ? literal + write(field(record)) : literal;
      })
      .join("");
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
      `${option} asks for a field without a name; give names and dots, such as user.name, or . for all`,
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
