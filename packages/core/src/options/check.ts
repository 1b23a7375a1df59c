import { DtError } from "../errors/dt-error.ts";
import { describe, parseDuration } from "./duration.ts";

/** A `DT_INVALID_OPTION` that names the option, the value and the remedy. */
export function invalidOption(option: string, value: unknown, remedy: string): DtError {
  return new DtError("DT_INVALID_OPTION", `${option} is ${describe(value)}; ${remedy}`);
}

/** The longest name (group, processor id) in UTF-8 bytes. */
export const LONGEST_NAME_BYTES = 1_024;

/**
 * A group name or processor id: a non-empty, well-formed string of at most 1,024 UTF-8 bytes, without NUL.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkName(option: string, value: unknown): string {
  if (typeof value !== "string" || value === "") throw invalidOption(option, value, "give a non-empty string");
  if (!value.isWellFormed() || value.includes("\0"))
    throw invalidOption(option, value, "give well-formed Unicode without NUL characters");
  if (new TextEncoder().encode(value).length > LONGEST_NAME_BYTES)
    throw invalidOption(option, value, `give at most ${LONGEST_NAME_BYTES} bytes of UTF-8`);
  return value;
}

/**
 * A whole number within bounds.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkInteger(option: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  const range = most === Number.MAX_SAFE_INTEGER ? `>= ${least}` : `from ${least} to ${most}`;
  throw invalidOption(option, value, `give a whole number ${range}`);
}

/**
 * A duration of at least `leastMs`, in milliseconds.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkDuration(option: string, value: unknown, leastMs: number): number {
  const ms = parseDuration(option, value);
  if (ms < leastMs) throw invalidOption(option, value, `give at least ${leastMs} ms`);
  return ms;
}
