/** No server means to be left alone for longer. Timers hold 24 days, and 366 are what our durations may be. */
export const LONGEST_MS = 366 * 86_400_000;

/** No server has so much to say about its limits; what is longer is not looked at. */
export const LONGEST_FIELD = 8_192;

/** A number from here on is no wait (of 31 years) but a time: in seconds since 1970, or from here on in ms. */
const EPOCH_SECONDS = 1e9;
const EPOCH_MS = 1e12;

const NUMBER = /^\d+(?:\.\d*)?$|^\.\d+$/;

/** Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT */
const DAY_FIRST =
  /^(?:[a-z]{3,9},? )?(\d{1,2})[ -]([a-z]{3})[ -](\d{4}|\d\d) (\d\d):(\d\d):(\d\d)(?: ?(?:GMT|UTC|Z|([+-]\d\d):?(\d\d)))?$/i;
/** Sun Nov 06 1994 08:49:37 GMT+0000 (Coordinated Universal Time), as a `Date` of JavaScript is written. */
const JAVASCRIPT = /^[a-z]{3} ([a-z]{3}) (\d\d) (\d{4}) (\d\d):(\d\d):(\d\d) GMT([+-]\d\d)(\d\d)(?: \([^)]*\))?$/i;
/** Sun Nov  6 08:49:37 1994 */
const MONTH_FIRST = /^[a-z]{3,9} ([a-z]{3}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})$/i;
/** 1994-11-06T08:49:37.5Z; some leave the seconds or the zone out, which is then UTC. */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-]\d\d):?(\d\d))?$/i;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * A time in milliseconds since 1970, from an HTTP date in any of its three forms, RFC 3339, or the form of JavaScript;
 * NaN for all else.
 */
export function dateOf(text: string, nowMs: number): number {
  const day = DAY_FIRST.exec(text);
  if (day) {
    const [, date, month = "", year = "", hours, minutes, seconds, zoneHours, zoneMinutes] = day;
    return at(yearOf(year, nowMs), monthOf(month), date, hours, minutes, seconds) - zoneMs(zoneHours, zoneMinutes);
  }
  const javascript = JAVASCRIPT.exec(text);
  if (javascript) {
    const [, month = "", date, year, hours, minutes, seconds, zoneHours, zoneMinutes] = javascript;
    return at(Number(year), monthOf(month), date, hours, minutes, seconds) - zoneMs(zoneHours, zoneMinutes);
  }
  const asctime = MONTH_FIRST.exec(text);
  if (asctime) {
    const [, month = "", date, hours, minutes, seconds, year] = asctime;
    return at(Number(year), monthOf(month), date, hours, minutes, seconds);
  }
  const [, year, month, date, hours, minutes, seconds = "0", fraction = "", zoneHours, zoneMinutes] =
    RFC_3339.exec(text) ?? [];
  const ms = Math.ceil(Number(`0.${fraction}`) * 1_000);
  return at(Number(year), Number(month) - 1, date, hours, minutes, seconds) + ms - zoneMs(zoneHours, zoneMinutes);
}

function monthOf(name: string): number {
  const month = MONTHS.indexOf(name.toLowerCase());
  return month < 0 ? Number.NaN : month;
}

/** RFC 9110, 5.6.7: a year of two digits that would be more than 50 years ahead is one of the past. */
function yearOf(text: string, nowMs: number): number {
  if (text.length === 4) return Number(text);
  const thisYear = new Date(Number.isNaN(nowMs) ? 0 : nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(text);
  return year > thisYear + 50 ? year - 100 : year;
}

function at(year: number, month: number, ...rest: readonly (string | undefined)[]): number {
  const [day = Number.NaN, hours = 0, minutes = 0, seconds = 0] = rest.map(Number);
  const good = month < 12 && day >= 1 && day <= 31 && hours <= 24 && minutes <= 59 && seconds <= 60;
  return good ? Date.UTC(year, month, day, hours, minutes, seconds) : Number.NaN;
}

function zoneMs(hours: string | undefined, minutes: string | undefined): number {
  if (hours === undefined) return 0;
  return (Number(hours) * 60 + Math.sign(Number(`${hours}1`)) * Number(minutes)) * 60_000;
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const UNIT = "ns|us|µs|ms|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?";
const DURATION = new RegExp(`^(?:\\d+(?:\\.\\d+)?\\s?(?:${UNIT})\\s?)+$`);
const PART_OF_DURATION = /(\d+(?:\.\d+)?)\s?(ns|us|µs|ms|.)/g;

/** A duration such as `1.5s`, `6m0s`, `20ms`, `10 seconds` or `PT30S` in milliseconds; NaN for anything else. */
export function durationOf(text: string): number {
  const parts = text.toLowerCase().replace(/^pt/, "");
  if (!DURATION.test(parts)) return Number.NaN;
  let ms = 0;
  for (const [, count, unit = ""] of parts.matchAll(PART_OF_DURATION))
    ms += Number(count) * (UNITS[unit] ?? Number.NaN);
  return ms;
}

/**
 * A wait in milliseconds, rounded up: a number of units, a duration, or a time that is compared with `nowMs`: a number
 * since 1970, or a date. A time that has passed is negative; what is absurdly long is 366 days. Undefined for anything
 * else. `unitMs` is what a bare number counts; `nowMs` is NaN where nothing tells it.
 */
function waitOf(text: string, nowMs: number, unitMs: number): number | undefined {
  const trimmed = withoutQuotes(text.split(";", 1).join().trim());
  const ms = NUMBER.test(trimmed) ? numberOf(Number(trimmed), nowMs, unitMs) : untilOf(trimmed, nowMs);
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.ceil(ms));
}

function withoutQuotes(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** A number so large is a time where that time is within a year of now, and else a wait that is absurdly long. */
function numberOf(value: number, nowMs: number, unitMs: number): number {
  if (value < (unitMs === 1 ? EPOCH_MS : EPOCH_SECONDS)) return value * unitMs;
  const ms = (value < EPOCH_MS ? value * 1_000 : value) - nowMs;
  return Math.abs(ms) > LONGEST_MS ? value * unitMs : ms;
}

function untilOf(text: string, nowMs: number): number {
  const ms = durationOf(text);
  return Number.isNaN(ms) ? dateOf(text, nowMs) - nowMs : ms;
}

/** Commas between values, but not the one behind the day of a date. */
const COMMAS = /,(?!\s?\d{1,2}[ -][a-z]{3}[ -])/i;

/** The longest wait that one field tells. `bad` when it is absurdly long, or a value in it makes no sense. */
export interface FieldWait {
  /** In milliseconds, at most 366 days; negative for a time that has passed, undefined where nothing can be read. */
  readonly ms: number | undefined;
  readonly bad: boolean;
}

/**
 * Reads a field that tells a wait. Sent twice, or with several values, the longest of them counts.
 * @param nowMs what the server calls now, in milliseconds since 1970; NaN where nothing tells it
 * @param unitMs what a bare number counts
 */
export function longestWaitOf(field: string, nowMs: number, unitMs = 1_000): FieldWait {
  if (field.length > LONGEST_FIELD) return { ms: undefined, bad: true };
  const waits = field.split(COMMAS).map((value) => waitOf(value, nowMs, unitMs));
  const known = waits.filter((ms) => ms !== undefined);
  return { ms: known.length === 0 ? undefined : Math.max(...known), bad: known.length < waits.length };
}
