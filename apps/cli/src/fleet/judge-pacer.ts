import type { LimitRecord, PermitSnapshot } from "@dt/core";
import { plural, timeText } from "./amounts.ts";
import { finding, inOrder, worstOf } from "./finding.ts";
import { judgePause, judgeStored } from "./judge-stored.ts";
import { nameText } from "./name-text.ts";
import type { Finding, LimiterReport, LimitReport } from "./report.ts";

/** A pacer from what its store keeps of it. */
export function judgePacer(snapshot: PermitSnapshot, stored: LimitRecord | undefined): LimiterReport {
  const { key: name, terms, formerTerms, waiting, pausedForMs = 0, reservedUntilMs, storeTimeMs } = snapshot;
  const pace = paceOf(snapshot);
  const aheadMs = Math.max(0, reservedUntilMs - storeTimeMs);
  // So much is reserved where all permits were just used that may come at once. Only beyond that do calls wait.
  const usedUpMs = pace === undefined ? 0 : pace.burst * pace.everyMs;
  const binds = aheadMs > usedUpMs || waiting > 0;
  const findings: Finding[] = [
    ...judgeStored(stored, terms !== undefined, snapshot.stored !== undefined),
    ...judgePause(pausedForMs),
  ];
  if (waiting > 0) findings.push(finding("limited", "binds", `limited by permits: ${plural(waiting, "request")} wait`));
  if (aheadMs > 0)
    findings.push(finding(binds ? "limited" : "ok", "reserved", `reserved for ${timeText(aheadMs)} from now`));
  if (formerTerms !== undefined)
    findings.push(
      finding("ok", "terms", `its terms ${nameText(terms ?? "")} take the place of ${nameText(formerTerms)}`),
    );
  const limits: LimitReport[] =
    pace === undefined
      ? []
      : [{ name: "permits", max: 1, windowMs: pace.everyMs, used: null, utilization: null, binds }];
  const ordered = inOrder(findings);
  return {
    kind: "pacer",
    name,
    state: worstOf(ordered.map(({ state }) => state)),
    findings: ordered,
    limits,
    waiting,
    pausedForMs,
    reservedForMs: aheadMs,
    ...(terms !== undefined && { terms }),
    ...(stored && { stored }),
  };
}

interface Pace {
  /** Time between two permits, in milliseconds. */
  readonly everyMs: number;
  /** Permits that may come at once. */
  readonly burst: number;
}

/** Of a stored limit, or of the terms that a pacer states: `every 100 ms, burst 5`. Those of sites say more. */
function paceOf({ stored, terms = "" }: PermitSnapshot): Pace | undefined {
  const { everyMs, burst = 1 } = stored?.values ?? {};
  if (everyMs !== undefined) return { everyMs, burst };
  const [, every, allAtOnce] = /^every ([\d.]+(?:e[+-]?\d+)?) ms, burst (\d+)$/.exec(terms) ?? [];
  return Number(every) > 0 ? { everyMs: Number(every), burst: Number(allAtOnce) } : undefined;
}
