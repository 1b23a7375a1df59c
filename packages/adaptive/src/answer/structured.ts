import { LONGEST_FIELD } from "./times.ts";

/** A value of a structured field: a number, or the text of anything else. */
export type BareItem = number | string | true;

/** A member of a list with its parameters. */
export type Item = readonly [value: BareItem, parameters: ReadonlyMap<string, BareItem>];

/** RFC 9651, without inner lists and dates, which no field here has. */
const KEY = /[a-z*][a-z0-9_.*-]*/y;
const BARE =
  /"((?:[^"\\]|\\["\\])*)"|(-?\d{1,15}(?:\.\d{1,3})?)|(:[A-Za-z0-9+/=]*:|\?[01]|[A-Za-z*][\w:/!#$%&'*+.^`|~-]*)/y;
const SEMICOLON = / *; */y;
const COMMA = /[ \t]*,[ \t]*/y;

/** The members of a List whose members are Items; undefined where the field is anything else, or absurdly long. */
export function itemsOf(field: string): readonly Item[] | undefined {
  const scan = new Scan(field);
  return scan.list(() => scan.item());
}

/** The values of a Dictionary whose members are Items, by key; undefined where the field is anything else. */
export function valuesOf(field: string): ReadonlyMap<string, BareItem> | undefined {
  const scan = new Scan(field);
  const members = scan.list(() => scan.member());
  return members && new Map(members);
}

class Scan {
  readonly #text: string;
  #at = 0;

  constructor(field: string) {
    this.#text = field.trim();
  }

  /** All that the field holds; undefined where something is left over, or missing. */
  list<Member>(next: () => Member | undefined): Member[] | undefined {
    if (this.#text.length > LONGEST_FIELD) return undefined;
    const members: Member[] = [];
    do {
      const member = next();
      if (member === undefined) return undefined;
      members.push(member);
    } while (this.#match(COMMA));
    return this.#at === this.#text.length ? members : undefined;
  }

  item(): Item | undefined {
    const value = this.#bare();
    if (value === undefined) return undefined;
    const parameters = new Map<string, BareItem>();
    while (this.#match(SEMICOLON)) {
      const pair = this.#pair();
      if (pair === undefined) return undefined;
      parameters.set(...pair);
    }
    return [value, parameters];
  }

  /** `key=value`, with parameters that are read past. */
  member(): [key: string, value: BareItem] | undefined {
    const pair = this.#pair();
    while (pair && this.#match(SEMICOLON)) if (this.#pair() === undefined) return undefined;
    return pair;
  }

  #pair(): [key: string, value: BareItem] | undefined {
    const [key] = this.#match(KEY) ?? [];
    if (key === undefined) return undefined;
    if (this.#text[this.#at] !== "=") return [key, true];
    this.#at += 1;
    const value = this.#bare();
    return value === undefined ? undefined : [key, value];
  }

  #bare(): BareItem | undefined {
    const [, text, number, other] = this.#match(BARE) ?? [];
    if (text !== undefined) return text.replace(/\\(["\\])/g, "$1");
    return number === undefined ? other : Number(number);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
