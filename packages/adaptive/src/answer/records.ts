/** Anything with properties: what is in them is not known. */
export type AnyRecord = Readonly<Record<string, unknown>>;

const NOTHING: AnyRecord = {};

/** What anything has for properties; none where it is no object. */
export function recordOf(value: unknown): AnyRecord {
  return typeof value === "object" && value !== null ? (value as AnyRecord) : NOTHING;
}

/** No list in a body has more members that matter here; the rest is not looked at. */
const MOST_MEMBERS = 100;

/** The members of a list, at most a hundred; none where it is no list. */
export function membersOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MOST_MEMBERS) : [];
}

/** From here on a count is a slip: no callee has a quota of 10^12. */
const TOO_MANY = 1e12;

/** A number that may be a count: finite, not negative, and below 10^12; undefined for anything else. */
export function countIn(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value < TOO_MANY ? value : undefined;
}
