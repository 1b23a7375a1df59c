/** Headers as clients have them: `Headers`, a Map, or an object with lower-case or other names. */
export type HeaderSource = unknown;

/** Asks for one header by its lower-case name; undefined where it is missing. */
export function headersOf(headers: HeaderSource): (name: string) => string | undefined {
  if (typeof headers !== "object" || headers === null) return () => undefined;
  const { get } = headers as { readonly get?: unknown };
  let fields: Readonly<Record<string, unknown>> | undefined;
  return (name) => {
    if (typeof get !== "function") fields ??= inLowerCase(headers);
    const value = fields ? fields[name] : ((get as (name: string) => unknown).call(headers, name) as unknown);
    if (Array.isArray(value)) return value.join(", ");
    return typeof value === "string" ? value : undefined;
  };
}

/** The same fields by lower-case names, as Node and undici have them: then nothing is copied. */
function inLowerCase(headers: object): Readonly<Record<string, unknown>> {
  for (const name in headers)
    if (name !== name.toLowerCase())
      return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
  return headers as Record<string, unknown>;
}

/** The longest wait that is believed: an hour at the callee is a slip of units. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * How long a call waited at the callee, in milliseconds, from `Server-Timing: queue;dur=12.5`; undefined where that is
 * not said or makes no sense. Other metrics beside it are passed over.
 */
export function queueWaitOf(serverTiming: string | undefined): number | undefined {
  for (const metric of serverTiming?.split(",") ?? []) {
    const [name, ...parameters] = metric.split(";").map((part) => part.trim());
    if (name?.toLowerCase() !== "queue") continue;
    for (const parameter of parameters) {
      const match = /^dur\s*=\s*"?(\d+(?:\.\d+)?)"?$/i.exec(parameter);
      const waitMs = match ? Number(match[1]) : Number.NaN;
      if (waitMs <= LONGEST_WAIT_MS) return waitMs;
    }
  }
  return undefined;
}

/** No server means to be left alone for longer. Timers hold 24 days, and 366 are what our durations may be. */
const LONGEST_RETRY_MS = 366 * 86_400_000;

/**
 * Milliseconds from `Retry-After`: seconds, or a date. A date is taken against the server's own `Date` header, since
 * our wall clock may be wrong; without that header it is not believed. What is malformed or in the past is undefined;
 * what is absurdly long is 366 days.
 */
export function retryAfterOf(retryAfter: string | undefined, date: string | undefined): number | undefined {
  if (retryAfter === undefined) return undefined;
  const text = retryAfter.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : dateOf(text) - dateOf(date);
  return ms >= 0 ? Math.min(ms, LONGEST_RETRY_MS) : undefined;
}

/**
 * An HTTP date in milliseconds since 1970; NaN for anything else. `Date.parse` alone would take "1.5" for a day in
 * January.
 */
export function dateOf(text: string | undefined): number {
  return /^[A-Z][a-z]{2,8},? /.test(text ?? "") ? Date.parse(text as string) : Number.NaN;
}
