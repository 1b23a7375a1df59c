/**
 * A number that a double cannot hold is kept as it was written: ids of 64 bits must not change on their way through.
 */
interface ExactJson {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

/** Node has this since version 21; the types of ES2024 do not. */
const exact = JSON as unknown as ExactJson;

/** Looks like a number that may lose digits. Inside a string it costs only time. */
const MAY_LOSE = /\d{16}|\d[eE]/;

/**
 * Parses JSON such that `JSON.stringify` gives every number back with all its digits.
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  if (!MAY_LOSE.test(text)) return JSON.parse(text) as unknown;
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
}
