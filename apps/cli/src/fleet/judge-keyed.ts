import type { BucketSnapshot, LimitRecord } from "@dt/core";
import { plural } from "./amounts.ts";
import { finding, inOrder, ofMembers, worstOf } from "./finding.ts";
import { namesText, nameText } from "./name-text.ts";
import type { Finding, KeyReport, LimiterReport } from "./report.ts";

/** A key of a keyed limit that was looked at. */
export interface ReadKey {
  readonly key: string;
  /** What the store keeps of it; undefined where nothing is left, or it cannot be read. */
  readonly snapshot: BucketSnapshot | undefined;
  /** Why it cannot be read, such as a damaged row. */
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** Fewer units than this cannot be spent. */
const ONE_UNIT = 1;

/**
 * A keyed limit from some of its keys.
 * @param count keys in use, as far as they were counted
 * @param busiest how many keys are written out
 */
export function judgeKeyed(
  name: string,
  keys: readonly ReadKey[],
  count: number,
  stored: LimitRecord | undefined,
  busiest: number,
): LimiterReport {
  const reports = keys.flatMap(({ snapshot }) => (snapshot?.limit ? [reportOf(snapshot)] : []));
  reports.sort((one, other) => other.utilization - one.utilization || (one.key < other.key ? -1 : 1));
  const limited = reports.filter(isLimited);
  const findings: Finding[] = [...damaged(keys), ...hits(keys)];
  if (limited.length > 0) {
    const names = namesText(limited.map(({ key }) => key));
    const of = keys.length < count ? `the ${plural(keys.length, "key")} read` : plural(count, "key");
    findings.push(finding("limited", "keys", `nothing is left of ${limited.length} of ${of}: ${names}`));
  }
  const ordered = inOrder(findings);
  return {
    kind: "keyed",
    name,
    state: worstOf(ordered.map(({ state }) => state)),
    findings: ordered,
    limits: [],
    keys: { count, read: keys.length, limited: limited.length, busiest: reports.slice(0, busiest) },
    pausedForMs: 0,
    ...(stored && { stored }),
  };
}

function damaged(keys: readonly ReadKey[]): readonly Finding[] {
  const all = keys.flatMap(({ key, error }) =>
    error ? [finding("attention", "damaged", `the key ${nameText(key)} cannot be read: ${error.message}`)] : [],
  );
  return ofMembers(all, (rest) => `${plural(rest, "more key")} cannot be read`);
}

/** Of keys whose limits only their processes know. */
function hits(keys: readonly ReadKey[]): readonly Finding[] {
  const counted = keys.flatMap(({ snapshot }) => (snapshot && snapshot.hitsResetMs > 0 ? [snapshot.hits] : []));
  if (counted.length === 0) return [];
  const sum = counted.reduce((all, one) => all + one, 0);
  return [finding("ok", "hits", `${plural(sum, "hit")} counted in the windows of ${plural(counted.length, "key")}`)];
}

function isLimited({ remaining, inFlight, concurrent }: KeyReport): boolean {
  return remaining < ONE_UNIT || (concurrent !== null && inFlight >= concurrent);
}

function reportOf({ key, limit, remaining, resetMs, held, inFlight }: BucketSnapshot): KeyReport {
  const { max, windowMs, burst, concurrent } = limit as NonNullable<typeof limit>;
  return {
    ...{ key, max, windowMs, burst, remaining, resetMs, held, inFlight },
    concurrent: concurrent ?? null,
    utilization: Math.max(0, 1 - remaining / burst, concurrent === undefined ? 0 : inFlight / concurrent),
  };
}
