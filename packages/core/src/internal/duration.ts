import { DtError } from "../errors/dt-error.ts";

/** Milliseconds as a number, or a string with a unit: `"250ms"`, `"1.5s"`, `"60s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A duration in milliseconds.
 * @throws DtError `DT_INVALID_OPTION` when it is not a finite number >= 0 or a string like `"60s"`.
 */
export function parseDuration(option: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value;
  if (typeof value === "string") {
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value.trim());
    if (match) return Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  }
  throw new DtError(
    "DT_INVALID_OPTION",
    `${option} is ${describe(value)}; give milliseconds (a number >= 0) or a string such as "250ms", "60s", "5m"`,
  );
}

/** A value as it should appear in an error message. */
export function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}
