import type { LimiterReport, MemberReport } from "../fleet/report.ts";
import type { LedgerKind } from "../stores/limiter.ts";
import { amount, per, plural } from "./preview-text.ts";

/**
 * What follows of a new limit for the members of a throttle or a semaphore.
 * @param limiter undefined where the store keeps nothing of it
 * @param max the new limit
 */
export function membersFollow(kind: LedgerKind, limiter: LimiterReport | undefined, max: number): readonly string[] {
  const { members = [], limits: [limit] = [], waiting = 0 } = limiter ?? {};
  if (limit === undefined || members.length === 0) return [];
  const unit = kind === "throttle" ? "token" : "slot";
  const window = per(limit.windowMs);
  const least = leastDeclared(members);
  const inForce = Math.min(max, least?.max ?? Infinity);
  return [
    ...(least !== undefined && least.max < max
      ? [
          `${JSON.stringify(least.id)} has no \`stored\` and declares ${amount(least.max)}: the limit stays ${plural(least.max, unit)}${window} for as long as it is there.`,
        ]
      : []),
    ...sharesFollow(members, unit, window, limit.max, inForce),
    ...usersFollow(kind, limit.used, inForce),
    ...(kind === "throttle" && waiting > 0 && limit.windowMs !== null
      ? [
          `${plural(waiting, "token")} are waited for: that takes ${amount((waiting * limit.windowMs) / inForce / 1_000)} s, and ${amount((waiting * limit.windowMs) / limit.max / 1_000)} s with the limit of now.`,
        ]
      : []),
    ...(kind === "semaphore" && waiting > 0 && inForce > limit.max
      ? [
          `${plural(waiting, "slot")} are waited for; ${amount(Math.min(waiting, inForce - limit.max))} of them may begin.`,
        ]
      : []),
  ];
}

function sharesFollow(
  members: readonly MemberReport[],
  unit: string,
  window: string,
  now: number,
  max: number,
): readonly string[] {
  const [before, after] = [now, max].map((limit) => Math.floor(limit / members.length)) as [number, number];
  const share = members.length === 1 ? "shares" : "share";
  const whole = `${plural(members.length, "member")} ${share} ${plural(max, unit)}${window} in place of ${amount(now)}`;
  if (max < members.length)
    return [`${whole}: fewer than one each, so that the members take turns with single ${unit}s.`];
  if (members.every(({ want }) => want === null))
    return [`${whole}: about ${amount(after)} each in place of about ${amount(before)}.`];
  const needy = members.filter(({ want }) => (want ?? Infinity) > after).length;
  if (needy === 0) return [`${whole}, by demand: no member wants more than ${amount(after)}, which each of them gets.`];
  return [
    `${whole}, by demand: a member that wants at most ${amount(after)} gets all of that, and ${amount(needy)} want more.`,
  ];
}

function usersFollow(kind: LedgerKind, used: number | null, max: number): readonly string[] {
  if (used === null || used <= max) return [];
  return kind === "throttle"
    ? [
        `${amount(used)} tokens were used in the last epoch: at that rate ${amount(used - max)} of them wait or are refused.`,
      ]
    : [`${amount(used)} slots are in use: no call begins until ${amount(used - max)} have ended.`];
}

/** The member that holds the others down; undefined where all take the limit from the store. */
function leastDeclared(members: readonly MemberReport[]): { readonly id: string; readonly max: number } | undefined {
  return members
    .flatMap(({ id, max }) => (max === null ? [] : [{ id, max }]))
    .reduce<{ readonly id: string; readonly max: number } | undefined>(
      (least, each) => (least !== undefined && least.max <= each.max ? least : each),
      undefined,
    );
}
