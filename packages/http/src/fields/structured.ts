import { type BareItem, type Item, type Parameters, parseDictionary, parseItem, parseList } from "structured-headers";

export type { BareItem, Item, Parameters };

/** No server has so much to say about its limits; what is longer is not looked at. */
const LONGEST_FIELD = 8_192;

/** What a parser makes of a field; undefined where it is not well-formed, or absurdly long. */
function parsed<Value>(parse: (field: string) => Value, field: string): Value | undefined {
  if (field.length > LONGEST_FIELD) return undefined;
  try {
    return parse(field);
  } catch {
    return undefined;
  }
}

/** The members of a List whose members are Items; undefined where the field is anything else. */
export function itemsOf(field: string): readonly Item[] | undefined {
  const list = parsed(parseList, field);
  // An inner list is an array with its parameters.
  return list?.every((member): member is Item => !Array.isArray(member[0])) ? list : undefined;
}

/** The values of a Dictionary whose members are Items, by key; undefined where the field is anything else. */
export function valuesOf(field: string): ReadonlyMap<string, BareItem> | undefined {
  const dictionary = parsed(parseDictionary, field);
  const values = new Map<string, BareItem>();
  for (const [key, [value]] of dictionary ?? []) {
    if (Array.isArray(value)) return undefined;
    values.set(key, value);
  }
  return dictionary && values;
}

/** The one value of an Item. */
export function itemValueOf(field: string): BareItem | undefined {
  return parsed(parseItem, field)?.[0];
}

/** A number that counts something: whole or not, but not negative. */
export function countOf(value: BareItem | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
