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

/** Deeper values exhaust the stack where they are written again, or in the service. */
export const DEEPEST = 1_000;

/**
 * Parses JSON such that `JSON.stringify` gives every number back with all its digits.
 * @param deepest arrays and objects within each other, at most
 * @throws SyntaxError
 */
export function parseExactly(text: string, deepest = DEEPEST): unknown {
  checkDepth(text, deepest);
  if (!MAY_LOSE.test(text)) return JSON.parse(text) as unknown;
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

/** @throws SyntaxError */
function checkDepth(text: string, deepest: number): void {
  // A level takes two characters.
  if (text.length <= 2 * deepest) return;
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) isString = !isString;
    else if (isString) at += sign === BACKSLASH ? 1 : 0;
    else if (sign === OPEN_ARRAY || sign === OPEN_OBJECT) depth += 1;
    else if (sign === CLOSE_ARRAY || sign === CLOSE_OBJECT) depth -= 1;
    if (depth > deepest) throw new SyntaxError(`it is nested more than ${deepest} levels deep`);
  }
}
