import { DtError } from "../errors/dt-error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { describe, parseDuration } from "./duration.ts";
import { meantName } from "./nearest-name.ts";

/** A `DT_INVALID_OPTION` that names the option, the value and the remedy. */
export function invalidOption(option: string, value: unknown, remedy: string): DtError {
  return new DtError("DT_INVALID_OPTION", `${option} is ${describe(value)}; ${remedy}`);
}

/** The longest name (group, member id) in UTF-8 bytes. */
export const LONGEST_NAME_BYTES = 1_024;

/**
 * A group name or member id: a non-empty, well-formed string of at most 1,024 UTF-8 bytes, without NUL.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkName(option: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw invalidOption(option, value, "give a non-empty string");
  if (!value.isWellFormed() || value.includes("\0"))
    throw invalidOption(option, value, "give well-formed Unicode without NUL characters");
  // Three bytes are the most that a unit of UTF-16 takes: nearly every name is short enough at first sight.
  if (value.length * 3 > LONGEST_NAME_BYTES && new TextEncoder().encode(value).length > LONGEST_NAME_BYTES)
    throw invalidOption(option, value, `give at most ${LONGEST_NAME_BYTES} bytes of UTF-8`);
  return value;
}

/**
 * A whole number within bounds.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkInteger(
  option: string,
  value: unknown,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  const range = most === Number.MAX_SAFE_INTEGER ? `>= ${least}` : `from ${least} to ${most}`;
  throw invalidOption(option, value, `give a whole number ${range}`);
}

const DAY_MS = 86_400_000;

/** The longest duration, in milliseconds: 366 days. What is longer is a slip of units. */
const LONGEST_DURATION_MS = 366 * DAY_MS;

/**
 * The longest deadline that is also given to a driver, in milliseconds: 10 days. Timers of Node hold 2^31 - 1 ms, and
 * end at once when they are given more; drivers are given up to twice the deadline.
 */
const LONGEST_DRIVER_TIMEOUT_MS = 10 * DAY_MS;

/**
 * A duration of at least `leastMs` and at most `mostMs` (366 days, unless it is given), in milliseconds.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkDuration(
  option: string,
  value: unknown,
  leastMs: number,
  mostMs: number = LONGEST_DURATION_MS,
): number {
  const ms = parseDuration(option, value);
  if (ms < leastMs) throw invalidOption(option, value, `give at least ${leastMs} ms`);
  if (ms > mostMs) throw invalidOption(option, value, `give at most ${mostMs / DAY_MS} days`);
  return ms;
}

/**
 * A deadline that is also given to a driver: 1 ms to 10 days, in milliseconds.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkDriverTimeout(option: string, value: unknown): number {
  return checkDuration(option, value, 1, LONGEST_DRIVER_TIMEOUT_MS);
}

/**
 * Refuses what is not an object, and keys that it does not know: a misspelt option must not pass for an absent one. The
 * message names the key that was meant, as far as its spelling or its name in other libraries tells. `prefix` is put
 * before a key's name in the message.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkKeys(what: string, options: object, known: ReadonlySet<string>, prefix = ""): void {
  if (typeof options !== "object" || options === null)
    throw invalidOption(what, options, `give an object; its keys are ${[...known].join(", ")}`);
  // `for in` and no `Object.entries`: this stands before every `acquire` that has options.
  for (const name in options)
    if (!known.has(name)) {
      const meant = meantName(name, known);
      const hint = meant === undefined ? "" : `did you mean ${prefix}${meant}? `;
      // The value is not shown: what was misspelt may be a password.
      throw new DtError(
        "DT_INVALID_OPTION",
        `${prefix}${name}: there is no such option; ${hint}known are ${[...known].join(", ")}`,
      );
    }
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkFlag(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "boolean")
    throw invalidOption(option, value, "give true or false, or leave it out");
}

/** True for a promise and for anything else with a `then`. */
export function isPromise(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof (value as { readonly then?: unknown }).then === "function"
  );
}

/**
 * The function that makes a call. A promise is refused with a remedy of its own: its call runs already, and no limiter
 * can hold it back.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkCall(option: string, value: unknown, remedy: string = "give a function"): void {
  if (typeof value === "function") return;
  if (!isPromise(value)) throw invalidOption(option, value, remedy);
  const hint = "its call runs already, so that nothing can hold it back; give the function that makes the call";
  throw new DtError("DT_INVALID_OPTION", `${option} is a promise; ${hint}, such as () => send(mail)`);
}

/**
 * An AbortSignal, or none.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal !== undefined && typeof signal?.addEventListener !== "function")
    throw invalidOption("signal", signal, "give an AbortSignal");
  return signal;
}

/**
 * A runtime that has everything.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkRuntime(runtime: Runtime): Runtime {
  for (const name of ["now", "setTimer", "random"] as const)
    if (typeof runtime?.[name] !== "function")
      throw invalidOption(
        "runtime",
        runtime,
        `give an object with now, setTimer and random, or leave it out; ${name} is missing`,
      );
  for (const name of ["bootTimeMs", "wallTimeMs"] as const)
    if (runtime[name] !== undefined && typeof runtime[name] !== "function")
      throw invalidOption(`runtime.${name}`, runtime[name], "give a function, or leave it out");
  return runtime;
}
