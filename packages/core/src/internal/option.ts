/** The kinds of options that tables are made of: see `settingsOf`. */

import type { Runtime } from "../runtime/runtime.ts";
import { systemRuntime } from "../runtime/system-runtime.ts";
import {
  checkDriverTimeout,
  checkDuration,
  checkInteger,
  checkName,
  checkRuntime,
  checkSignal,
  invalidOption,
} from "./check.ts";
import { type Checked, Option, settingsOf, type Table } from "./options.ts";
import { checkVersion } from "./version.ts";

export { later, Option } from "./options.ts";

/** A kind of its own. */
export function checked<Setting>(check: (name: string, given: unknown) => Setting): Option<Setting> {
  return new Option(check, "");
}

/** A duration of at least `leastMs`; in milliseconds. */
export function duration(leastMs: number, mostMs?: number): Option<number, "Ms"> {
  return new Option((name, given) => checkDuration(name, given, leastMs, mostMs), "Ms");
}

/** A deadline that is also given to a driver. */
export const driverTimeout: Option<number, "Ms"> = new Option(checkDriverTimeout, "Ms");

/** A whole number. */
export function integer(least: number, most?: number): Option<number> {
  return checked((name, given) => checkInteger(name, given, least, most));
}

/** A number for which `fits` holds. `remedy` says which those are. */
export function number(fits: (value: number) => boolean, remedy: string): Option<number> {
  return checked((name, given) => {
    if (typeof given === "number" && fits(given)) return given;
    throw invalidOption(name, given, remedy);
  });
}

/** A finite number more than 0. */
export const positive: Option<number> = number((value) => value > 0 && value < Infinity, "give a number more than 0");

/** A name, as groups and members have. */
export const name: Option<string> = checked(checkName);

/** A string that is not empty. */
export function text(remedy: string): Option<string> {
  return checked((name, given) => {
    if (typeof given === "string" && given !== "") return given;
    throw invalidOption(name, given, remedy);
  });
}

export const boolean: Option<boolean> = checked((name, given) => {
  if (typeof given === "boolean") return given;
  throw invalidOption(name, given, "give true or false");
});

export function oneOf<const Values extends readonly string[]>(...values: Values): Option<Values[number]> {
  const quoted = values.map((value) => JSON.stringify(value));
  const remedy = `give ${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return checked((name, given) => {
    if (values.includes(given as string)) return given as Values[number];
    throw invalidOption(name, given, remedy);
  });
}

/** A function. Its parameters are the caller's promise. */
export function callback<F>(remedy = "give a function, or leave it out"): Option<NonNullable<F>> {
  return checked((name, given) => {
    if (typeof given === "function") return given as unknown as NonNullable<F>;
    throw invalidOption(name, given, remedy);
  });
}

/** An object known by its methods: it may come from another copy of its package, of the same version. */
export function having<T>(methods: readonly string[], remedy: string): Option<NonNullable<T>> {
  return checked((name, given) => {
    checkVersion(name, given);
    const has = (method: string): boolean =>
      typeof (given as Readonly<Record<string, unknown>> | null | undefined)?.[method] === "function";
    if (methods.every(has)) return given as NonNullable<T>;
    throw invalidOption(name, given, remedy);
  });
}

/** Time, timers and chance; the real ones by default. */
export const runtime: Option<Runtime> = checked((_, given) => checkRuntime(given as Runtime)).or(systemRuntime);

export const signal: Option<AbortSignal | undefined> = checked((_, given) => checkSignal(given as AbortSignal));

/** A limiter, or a function that makes one: handed on to code that checks it further. */
export function limiter<T>(): Option<T> {
  return checked((name, given) => {
    checkVersion(name, given);
    return given as T;
  });
}

/** What is handed on as it is, to code that checks it. */
export function unchecked<T>(): Option<T> {
  return checked((_, given) => given as T);
}

/** An object whose `type` says which options it has, or the type alone; a type without options is given alone. */
export function byType<const Types extends Readonly<Record<string, Table>>>(
  types: Types,
  remedy: string,
): Option<{ [Type in keyof Types & string]: { readonly type: Type } & Checked<Types[Type]> }[keyof Types & string]> {
  return checked((name, given) => {
    const options = typeof given === "string" ? { type: given } : (given as { readonly type: string } | null);
    // Of its own: "constructor" is a key of every object.
    if (!Object.hasOwn(types, options?.type ?? "")) throw invalidOption(name, given, remedy);
    const { type } = options as { readonly type: keyof Types & string };
    if (typeof given !== "string" && Object.keys(types[type] as Table).length === 0)
      throw invalidOption(name, given, `give "${type}", which has no options`);
    const table = { type: unchecked<typeof type>(), ...(types[type] as Table) };
    return settingsOf(table, options as object, name, `${name}.`) as never;
  });
}
