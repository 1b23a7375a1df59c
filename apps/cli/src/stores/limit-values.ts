import { isDtError, type LimitValues, type Rate } from "@dt/core";
import { parseRate } from "@dt/core/internal";
import { UsageError } from "../exit-code.ts";
import type { AnyStore } from "./in-store.ts";
import { type LimitName, storedName } from "./limiter.ts";

/** Numbers that belong to a limit besides its rate. */
export interface MoreValues {
  readonly burst?: number | undefined;
  readonly concurrent?: number | undefined;
}

/**
 * A limit as the command line has it: `200/s` of a throttle, a pacer or a key, `30` of a semaphore,
 * `requests=600,tokens=60000` of a budget.
 * @throws UsageError where it is none
 */
export function parseLimit({ kind }: LimitName, text: string, more: MoreValues): Rate | LimitValues {
  const { burst, concurrent } = more;
  if (burst !== undefined && kind !== "pacer" && kind !== "keyed")
    throw new UsageError("--burst is for pacers and keyed limits");
  if (concurrent !== undefined && kind !== "keyed") throw new UsageError("--concurrent is for keyed limits");
  if (kind === "budget") return Object.fromEntries(text.split(",").map(numberOf));
  if (kind === "semaphore") return wholeNumber(text, "the number of slots, such as 30");
  if (kind === "throttle") return text as Rate;
  const { count: max, intervalMs: windowMs } = rateOf(text);
  if (kind === "pacer") return { everyMs: windowMs / max, ...(burst !== undefined && { burst }) };
  return { max, windowMs, burst: burst ?? Math.max(1, max), ...(concurrent !== undefined && { concurrent }) };
}

function rateOf(text: string): ReturnType<typeof parseRate> {
  try {
    return parseRate("limit", text);
  } catch (error) {
    throw isDtError(error) ? new UsageError(error.message, { cause: error }) : error;
  }
}

function numberOf(part: string): [string, number] {
  const [, name, number] = /^(.+)=([\d.]+)$/.exec(part.trim()) ?? [];
  if (name === undefined)
    throw new UsageError("give the max of each limit of the budget, as requests=600,tokens=60000");
  return [name, Number(number)];
}

function wholeNumber(text: string, what: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(`${JSON.stringify(text)} is no whole number >= 1; give ${what}`);
}

/**
 * A part of the values that count now: of the limit that the store has, otherwise of the one that is in use.
 * @param percent more than 0; may be more than 100
 * @throws UsageError where nothing is known of the limit
 */
export async function partOf(store: AnyStore, limiter: LimitName, percent: number): Promise<LimitValues> {
  const values = await valuesNow(store, limiter);
  if (values === undefined)
    throw new UsageError(
      `nothing is known of the ${limiter.kind} ${JSON.stringify(limiter.name)}, so that there is nothing to take ${percent} % of; give the limit itself`,
    );
  return scaled(values, percent / 100);
}

/** The values that count now; undefined where the store knows none. */
export async function valuesNow(store: AnyStore, limiter: LimitName): Promise<LimitValues | undefined> {
  const record = await store.readLimit?.(targetOf(limiter));
  return record?.inForce ? record.values : valuesInUse(store, limiter);
}

async function valuesInUse(store: AnyStore, { kind, name, key }: LimitName): Promise<LimitValues | undefined> {
  switch (kind) {
    case "throttle":
    case "semaphore": {
      const { capacity } = await store.inspect(storedName(kind, name));
      return capacity > 0 ? { max: capacity } : undefined;
    }
    case "pacer":
      return (await store.inspectPermits?.(name))?.stored?.values;
    case "budget": {
      const limits = (await store.inspectBudget?.(name))?.limits;
      return limits && Object.fromEntries(limits.map((limit) => [limit.name, limit.max]));
    }
    case "learned":
      return undefined;
    case "keyed": {
      if (key === undefined) return undefined;
      const limit = (await store.inspectBucket?.({ name, key }))?.limit;
      return limit && { ...limit };
    }
  }
}

/** What a burst, a window and a number of calls in flight are is no matter of how much comes in a time. */
const KEPT: ReadonlySet<string> = new Set(["burst", "windowMs", "concurrent"]);

function scaled(values: LimitValues, part: number): LimitValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (KEPT.has(name)) return [name, value];
      return [name, name === "everyMs" ? value / part : Math.max(1, Math.floor(value * part))];
    }),
  );
}

/** What a limiter is to its store. */
export function targetOf({ kind, name, key }: LimitName): Parameters<NonNullable<AnyStore["readLimit"]>>[0] {
  if (kind === "keyed") return { kind, name, ...(key !== undefined && { key }) };
  if (kind === "pacer") return { kind: "permits", name };
  return kind === "budget" || kind === "learned" ? { kind, name } : { kind: "group", name: storedName(kind, name) };
}
