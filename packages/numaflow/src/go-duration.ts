import { invalidOption } from "@dt/core/internal";

const UNIT_NS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign, and the Greek letter that looks the same.
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** One part of a duration: digits with a fraction, of which one may be missing, and letters for the unit. */
const PART = /(\d*)(?:\.(\d*))?([^\d.]*)/y;

/** Go counts nanoseconds in 63 bits: 292 years. */
const LONGEST_NS = 2n ** 63n - 1n;
/** More digits are no time. It bounds the arithmetic. */
const LONGEST_TEXT = 60;

const REMEDY = 'give numbers with units, such as "10s", "1m30s", "1.5h" or "100ms"';

/**
 * A duration as Go writes it, in milliseconds: parts such as `1h`, `1.5s` or `.5ms`, added up. `0` needs no unit.
 * @param name names the duration in an error
 * @throws DtError `DT_INVALID_OPTION`
 */
export function goDurationMs(name: string, text: string): number {
  if (text.startsWith("-")) throw invalidOption(name, text, `it is negative; ${REMEDY}`);
  const unsigned = text.startsWith("+") ? text.slice(1) : text;
  if (unsigned === "0") return 0;
  if (unsigned === "" || unsigned.length > LONGEST_TEXT) throw invalidOption(name, text, REMEDY);
  let ns = 0n;
  for (PART.lastIndex = 0; PART.lastIndex < unsigned.length; ) {
    const [part = "", whole = "", fraction = "", unit = ""] = PART.exec(unsigned) ?? [];
    if (part === "" || whole + fraction === "") throw invalidOption(name, text, REMEDY);
    ns += partNs(whole, fraction, unitNs(name, text, unit));
  }
  if (ns > LONGEST_NS) throw invalidOption(name, text, "Go's durations end at 292 years; give a shorter one");
  return Number(ns) / 1e6;
}

function unitNs(name: string, text: string, unit: string): bigint {
  const ns = Object.hasOwn(UNIT_NS, unit) ? UNIT_NS[unit] : undefined;
  if (ns !== undefined) return ns;
  if (unit === "") throw invalidOption(name, text, `a unit is missing; ${REMEDY}`);
  if (unit === "d") throw invalidOption(name, text, 'Go has no unit for days; give hours, such as "24h"');
  throw invalidOption(name, text, `Go's units are h, m, s, ms, us and ns; ${REMEDY}`);
}

/** Nanoseconds of one part. What is less than one is cut off, as in Go. */
function partNs(whole: string, fraction: string, unit: bigint): bigint {
  return BigInt(whole || "0") * unit + (BigInt(fraction || "0") * unit) / 10n ** BigInt(fraction.length);
}
