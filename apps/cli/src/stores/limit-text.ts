import type { LimitHistoryEntry, LimitRecord, LimitValues } from "@dt/core";
import { aligned } from "@dt-tooling/simulator/callee";
import { shown } from "../terminal.ts";
import type { LimitName } from "./limiter.ts";

/** A limit for people: a line about what counts, and one for each change. */
export function recordText(
  limiter: LimitName,
  values: LimitValues | undefined,
  record: LimitRecord | undefined,
): string {
  const lines = [limitText(limiter, values, record)];
  if (record && record.history.length > 0)
    lines.push("", aligned([["when", "who", "from", "to", "until", "why"], ...record.history.map(rowOf)]));
  return `${lines.join("\n")}\n`;
}

/** What counts now, in one line. */
export function limitText(
  limiter: LimitName,
  values: LimitValues | undefined,
  record: LimitRecord | undefined,
): string {
  const who = subjectOf(limiter);
  if (record?.inForce && values !== undefined) {
    const until = record.untilMs === undefined ? "" : ` until ${timeText(record.untilMs)}`;
    return `${who}: ${valuesText(values)}, set in the store by ${record.history[0]?.by}${until}.`;
  }
  if (values === undefined && limiter.kind === "learned") return `${who}: the store keeps nothing of it.`;
  if (values === undefined) return `${who}: the store has no limit; the value in the code counts.`;
  return `${who}: ${valuesText(values)}, by the value in the code; the store has no limit.`;
}

function subjectOf({ kind, name, key }: LimitName): string {
  const subject = `${kind[0]?.toUpperCase()}${kind.slice(1)} ${JSON.stringify(name)}`;
  return key === undefined ? subject : `${subject}, key ${JSON.stringify(key)}`;
}

function valuesText(values: LimitValues | undefined): string {
  if (values === undefined) return "the code's";
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Math.round(value * 1_000) / 1_000}`)
    .join(", ");
}

function rowOf({ atMs, by, from, to, untilMs, why }: LimitHistoryEntry): string[] {
  const until = untilMs === undefined ? "" : timeText(untilMs);
  return [timeText(atMs), by, valuesText(from), valuesText(to), until, why ?? ""].map(shown);
}

/** A time of the store's clock, which is the wall clock's on most servers. */
function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
