import { nearestName } from "@dt/core/internal";

/** What a number has to be. */
export interface Bounds {
  readonly least?: number;
  /** It has to be more than this. */
  readonly more?: number;
  readonly most: number;
  readonly whole?: boolean;
}

/** Reads the fields of an object that somebody wrote; every complaint names the field, the value and the remedy. */
export class FieldReader {
  readonly path: string;
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #known = new Set<string>();

  constructor(value: unknown, path: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new TypeError(`${path} is ${show(value)}; give an object`);
    this.path = path;
    this.#value = value as Readonly<Record<string, unknown>>;
  }

  number(name: string, bounds: Bounds, byDefault?: number): number {
    const value = this.#take(name) ?? byDefault;
    const { least = Number.NEGATIVE_INFINITY, more = Number.NEGATIVE_INFINITY, most, whole = false } = bounds;
    const fits = typeof value === "number" && value >= least && value > more && value <= most;
    if (fits && (!whole || Number.isInteger(value))) return value;
    const from = bounds.least === undefined ? `more than ${more} and at most ${most}` : `from ${least} to ${most}`;
    return this.refuse(name, value, `a ${whole ? "whole " : ""}number ${from}`);
  }

  /** An object with the field, or without it when it was left out. */
  given<Name extends string>(name: Name, bounds: Bounds): { readonly [K in Name]?: number } {
    if (this.#take(name) === undefined) return {};
    return { [name]: this.number(name, bounds) } as { readonly [K in Name]?: number };
  }

  text(name: string, byDefault: string): string {
    const value = this.#take(name) ?? byDefault;
    return typeof value === "string" ? value : this.refuse(name, value, "a text");
  }

  flag(name: string, byDefault: boolean): boolean {
    const value = this.#take(name) ?? byDefault;
    return typeof value === "boolean" ? value : this.refuse(name, value, "true or false");
  }

  choice<Name extends string>(name: string, names: readonly Name[]): Name {
    const value = this.#take(name);
    return names.find((one) => one === value) ?? this.refuse(name, value, `one of ${names.join(", ")}`);
  }

  object(name: string): FieldReader | undefined {
    const value = this.#take(name);
    return value === undefined ? undefined : new FieldReader(value, this.#pathOf(name));
  }

  /** Without a default there must be at least one. */
  list(name: string, byDefault?: readonly []): FieldReader[] {
    const value = this.#take(name) ?? byDefault;
    if (!Array.isArray(value) || (value.length === 0 && byDefault === undefined))
      return this.refuse(name, value, "a list of objects");
    return value.map((one, index) => new FieldReader(one, `${this.#pathOf(name)}[${index}]`));
  }

  isList(name: string): boolean {
    return Array.isArray(this.#take(name));
  }

  refuse(name: string, value: unknown, remedy: string): never {
    const is = value === undefined ? "is missing" : `is ${show(value)}`;
    throw new TypeError(`${this.#pathOf(name)} ${is}; give ${remedy}`);
  }

  /** Nothing more is read: what was not asked for is a mistake. */
  end(): void {
    const unknown = Object.keys(this.#value).find((name) => !this.#known.has(name));
    if (unknown === undefined) return;
    const near = nearestName(unknown, [...this.#known]);
    const remedy = near === undefined ? `known are ${[...this.#known].join(", ")}` : `did you mean ${near}?`;
    throw new TypeError(`${this.path} has an unknown field ${show(unknown)}; ${remedy}`);
  }

  #take(name: string): unknown {
    this.#known.add(name);
    return this.#value[name];
  }

  #pathOf(name: string): string {
    return this.path === "the scenario" ? name : `${this.path}.${name}`;
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
