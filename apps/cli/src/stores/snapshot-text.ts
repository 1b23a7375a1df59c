import type { GroupSnapshot, MemberSnapshot, PermitSnapshot } from "@dt/core";
import { aligned } from "@dt-tooling/simulator/callee";
import { shown } from "../terminal.ts";

/** A throttle for people: a line about the whole, and one for each member. */
export function throttleText(snapshot: GroupSnapshot): string {
  const { group, capacity, intervalMs, held, memberCount, adopted, learning, members } = snapshot;
  const name = `Throttle ${JSON.stringify(group)}`;
  if (members.length === 0) return `${name} has no members.\n`;
  const lines = [
    `${name}: ${held} of ${capacity} tokens per ${intervalMs} ms are held by ${plural(memberCount, "member")}.`,
  ];
  if (learning) lines.push("It learns what was held before. Until then no member is given more.");
  else if (members.every(({ want }) => want === undefined))
    lines.push(adopted === memberCount ? "All agree." : `${adopted} of them have adopted the newest generation.`);
  const wants = members.some(({ want }) => want !== undefined);
  const tells = members.some(({ used }) => used !== undefined);
  const head = ["id", "holds", ...(wants ? ["wants"] : []), ...(tells ? ["used", "waiting"] : [])];
  const rows = members.map((member) => [
    shown(JSON.stringify(member.id)),
    String(member.held),
    ...(wants ? [String(member.want ?? "-")] : []),
    ...(tells ? [String(member.used ?? "-"), String(member.waiting ?? "-")] : []),
    String(member.max),
    `${(member.silentMs / 1_000).toFixed(1)} s`,
    noteOf(member),
  ]);
  return `${lines.join(" ")}\n\n${aligned([[...head, "limit", "silent for", ""], ...rows])}\n`;
}

/** A pacer for people. */
export function pacerText(snapshot: PermitSnapshot): string {
  const { key, terms, formerTerms, reservedUntilMs, known, freed, waiting, storeTimeMs } = snapshot;
  const aheadMs = reservedUntilMs - storeTimeMs;
  const lines = [
    `Pacer ${JSON.stringify(key)}: ${aheadMs > 0 ? `reserved for ${(aheadMs / 1_000).toFixed(3)} s from now` : "nothing is reserved from now on"}.`,
    `${plural(known, "reservation")} known, ${plural(freed, "instant")} given back, ${waiting} in the queue.`,
  ];
  if (terms !== undefined) {
    const former = formerTerms === undefined ? "" : `, in place of ${JSON.stringify(formerTerms)}`;
    lines.push(`Its users agree on ${JSON.stringify(terms)}${former}.`);
  }
  return `${lines.join("\n")}\n`;
}

function noteOf({ fenced }: MemberSnapshot): string {
  return fenced ? "fenced: another process has the id" : "";
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
