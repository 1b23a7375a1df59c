import type { BucketSnapshot, BudgetSnapshot, GroupSnapshot, MemberSnapshot, PermitSnapshot } from "@dt/core";
import { aligned } from "@dt-tooling/simulator/callee";
import { shown } from "../terminal.ts";
import type { LimiterName } from "./limiter.ts";

type Ledger = Omit<GroupSnapshot, "group">;

/** A throttle for people: a line about the whole, and one for each member. */
export function throttleText(name: string, snapshot: Ledger): string {
  const { capacity, intervalMs, held, memberCount, adopted, learning, pausedForMs, members } = snapshot;
  const throttle = `Throttle ${JSON.stringify(name)}`;
  if (members.length === 0) return `${throttle} has no members.\n`;
  const lines = [
    `${throttle}: ${held} of ${capacity} tokens per ${intervalMs} ms are held by ${plural(memberCount, "member")}.`,
  ];
  if (learning) lines.push("It learns what was held before. Until then no member is given more.");
  else if (members.every(({ want }) => want === undefined))
    lines.push(adopted === memberCount ? "All agree." : `${adopted} of them have adopted the newest generation.`);
  lines.push(...pauseOf(pausedForMs));
  return `${lines.join(" ")}\n\n${memberTable(members, "used")}\n`;
}

/** A semaphore for people. */
export function semaphoreText(name: string, snapshot: Ledger): string {
  const { capacity, held, memberCount, learning, pausedForMs, members } = snapshot;
  const semaphore = `Semaphore ${JSON.stringify(name)}`;
  if (members.length === 0) return `${semaphore} has no members.\n`;
  const lines = [`${semaphore}: ${held} of ${capacity} slots are held by ${plural(memberCount, "member")}.`];
  if (learning) lines.push("It learns which slots were held before. Until then no member is given more.");
  if (held > capacity) lines.push("More are held than may be in use: no call begins until enough have ended.");
  lines.push(...pauseOf(pausedForMs));
  return `${lines.join(" ")}\n\n${memberTable(members, "in use")}\n`;
}

/** A line, or none where there is no pause. */
function pauseOf(pausedForMs = 0): readonly string[] {
  return pausedForMs > 0 ? [`It is paused for ${(pausedForMs / 1_000).toFixed(3)} s from now.`] : [];
}

/** @param used what is told of a member besides what it holds */
function memberTable(members: readonly MemberSnapshot[], used: string): string {
  const wants = members.some(({ want }) => want !== undefined);
  const tells = members.some((member) => member.used !== undefined);
  const head = ["id", "holds", ...(wants ? ["wants"] : []), ...(tells ? [used, "waiting"] : [])];
  const rows = members.map((member) => [
    shown(JSON.stringify(member.id)),
    String(member.held),
    ...(wants ? [String(member.want ?? "-")] : []),
    ...(tells ? [String(member.used ?? "-"), String(member.waiting ?? "-")] : []),
    member.max === null ? "stored" : String(member.max),
    `${(member.silentMs / 1_000).toFixed(1)} s`,
    noteOf(member),
  ]);
  return aligned([[...head, "limit", "silent for", ""], ...rows]);
}

/** A pacer for people. */
export function pacerText(snapshot: PermitSnapshot): string {
  const { key, terms, formerTerms, pausedForMs, reservedUntilMs, known, freed, waiting, storeTimeMs } = snapshot;
  const aheadMs = reservedUntilMs - storeTimeMs;
  const lines = [
    `Pacer ${JSON.stringify(key)}: ${aheadMs > 0 ? `reserved for ${(aheadMs / 1_000).toFixed(3)} s from now` : "nothing is reserved from now on"}.`,
    `${plural(known, "reservation")} known, ${plural(freed, "instant")} given back, ${waiting} in the queue.`,
  ];
  lines.push(...pauseOf(pausedForMs));
  lines.push(...termsOf(terms, formerTerms));
  return `${lines.join("\n")}\n`;
}

/** A budget for people: a line about the whole, and one for each limit. */
export function budgetText(snapshot: BudgetSnapshot): string {
  const { budget, terms, formerTerms, limits, open, pausedForMs } = snapshot;
  const lines = [`Budget ${JSON.stringify(budget)}: ${plural(open, "lease")} not settled.`];
  lines.push(...pauseOf(pausedForMs), ...termsOf(terms, formerTerms));
  const rows = limits.map(({ name, max, windowMs, spent, margin }) => [
    shown(JSON.stringify(name)),
    unitsOf(spent),
    unitsOf(max),
    unitsOf(margin),
    `${(windowMs / 1_000).toFixed(3)} s`,
  ]);
  return `${lines.join("\n")}\n\n${aligned([["limit", "spent", "of", "kept free", "window"], ...rows])}\n`;
}

/** A key of a keyed limit for people. */
export function bucketText(snapshot: BucketSnapshot): string {
  const { name, key, limit, remaining, resetMs, held, inFlight, hits, hitsResetMs } = snapshot;
  const lines = [];
  if (limit) {
    const { max, windowMs, burst, concurrent } = limit;
    const full = resetMs > 0 ? `full again in ${(resetMs / 1_000).toFixed(3)} s` : "full";
    lines.push(
      `${unitsOf(remaining)} of ${unitsOf(burst)} units are left, ${full}; ${unitsOf(max)} come back in ${(windowMs / 1_000).toFixed(3)} s.`,
    );
    if (held > 0) lines.push(`Processes have ${unitsOf(held)} in hand.`);
    if (concurrent !== undefined) lines.push(`${inFlight} of ${concurrent} calls are in flight.`);
  }
  if (hitsResetMs > 0)
    lines.push(`${plural(hits, "hit")} in a window that ends in ${(hitsResetMs / 1_000).toFixed(3)} s.`);
  return `Keyed ${JSON.stringify(name)}, key ${JSON.stringify(key)}: ${lines.join(" ")}\n`;
}

/** Units may be parts of one. */
function unitsOf(units: number): string {
  return String(Math.round(units * 1_000) / 1_000);
}

/** A line, or none where nothing binds the users. */
function termsOf(terms: string | undefined, formerTerms: string | undefined): readonly string[] {
  if (terms === undefined) return [];
  const former = formerTerms === undefined ? "" : `, in place of ${JSON.stringify(formerTerms)}`;
  return [`Its users agree on ${JSON.stringify(terms)}${former}.`];
}

/** That nothing is left of a pacer, a budget or a key. */
export function nothingText({ kind, name, key }: LimiterName): string {
  if (key !== undefined)
    return `Nothing is used of the key ${JSON.stringify(key)} of the keyed limit ${JSON.stringify(name)}.\n`;
  return `Nothing is ${kind === "budget" ? "spent" : "reserved"} of the ${kind} ${JSON.stringify(name)}.\n`;
}

function noteOf({ fenced }: MemberSnapshot): string {
  return fenced ? "fenced: another process has the id" : "";
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
