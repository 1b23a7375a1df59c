/**
 * Headers as clients have them: `Headers`, a Map, an object with lower-case or other names, names and values in turn,
 * pairs, or anything with `get(name)`.
 */
export type HeaderSource = unknown;

/** The fields of an answer that are read here, by their lower-case names. A field that was sent twice is one list. */
export type Fields = ReadonlyMap<string, string>;

/** Fields whose names are known. Families, such as OpenAI's and Anthropic's, are known by a part of their names. */
const KNOWN = new Set(["age", "content-length", "date", "server-timing"]);
const FAMILY = /rate-?limit|retry-?after/;

/** True for `retry-after` and every other name that tells the same. */
export function isRetryAfter(name: string): boolean {
  return /retry-?after/.test(name);
}

/** Asked for where headers cannot be listed, but only asked for by name. */
const BY_NAME = [
  ...KNOWN,
  "retry-after",
  "retry-after-ms",
  "x-ms-retry-after-ms",
  "x-amz-retry-after",
  "ratelimit",
  "ratelimit-policy",
  ...["limit", "remaining", "reset"].flatMap((kind) => [
    ...["ratelimit", "x-ratelimit", "x-rate-limit"].map((prefix) => `${prefix}-${kind}`),
    ...["requests", "tokens", "project-tokens"].map((what) => `x-ratelimit-${kind}-${what}`),
    ...["req-minute", "tokens-minute"].map((what) => `x-ratelimit-${kind}-${what}`),
    ...["requests", "tokens", "input-tokens", "output-tokens"].map((what) => `anthropic-ratelimit-${what}-${kind}`),
  ]),
  "x-ratelimit-reset-after",
  "x-ratelimit-tokens-query-cost",
];

/** No answer has more fields that matter here; the rest of a list without an end is not looked at. */
const MOST_FIELDS = 2_000;

/** No field that matters here has a longer name. */
const LONGEST_NAME = 256;

const NONE: Fields = new Map();

/** The fields that matter here. Never throws: headers that cannot be read are none. */
export function fieldsOf(headers: HeaderSource): Fields {
  if (typeof headers !== "object" || headers === null) return NONE;
  const fields = new Map<string, string>();
  try {
    let count = 0;
    for (const [name, value] of entriesOf(headers)) {
      if (++count > MOST_FIELDS) break;
      add(fields, String(name).toLowerCase(), value);
    }
  } catch {
    // What was read so far counts.
  }
  return fields;
}

function add(fields: Map<string, string>, name: string, value: unknown): void {
  if (name.length > LONGEST_NAME || (!KNOWN.has(name) && !FAMILY.test(name))) return;
  const text = textOf(value);
  if (text === undefined) return;
  const before = fields.get(name);
  fields.set(name, before === undefined ? text : `${before}, ${text}`);
}

/** Lists of values are as deep as clients make them: a header that came twice is a list of texts. */
const DEEPEST = 2;

function textOf(value: unknown, depth = 0): string | undefined {
  if (Array.isArray(value))
    return depth < DEEPEST ? value.map((each) => textOf(each, depth + 1)).join(", ") : undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value instanceof Uint8Array ? new TextDecoder("latin1").decode(value) : undefined;
}

function* entriesOf(headers: object): Generator<readonly [name: unknown, value: unknown]> {
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    for (let at = 0; at + 1 < headers.length; at += 2) yield [textOf(headers[at]), headers[at + 1]];
    return;
  }
  if (Symbol.iterator in headers) {
    yield* headers as Iterable<[unknown, unknown]>;
    return;
  }
  const { get } = headers as { readonly get?: unknown };
  if (typeof get === "function") {
    for (const name of BY_NAME) yield [name, get.call(headers, name)];
    return;
  }
  // Not by `Object.entries`: it makes an array for each of the many fields that do not matter.
  for (const name in headers) yield [name, (headers as Readonly<Record<string, unknown>>)[name]];
}

/** Any field of an answer, by its name; undefined where it is missing, or cannot be read. */
export function fieldOf(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  const wanted = name.toLowerCase();
  const { get } = headers as { readonly get?: unknown };
  try {
    const known = typeof get === "function" ? textOf(get.call(headers, wanted)) : undefined;
    if (known !== undefined) return known;
    for (const [key, value] of entriesOf(headers)) if (String(key).toLowerCase() === wanted) return textOf(value);
  } catch {
    // As good as missing.
  }
  return undefined;
}
