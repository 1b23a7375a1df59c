import type { BudgetLimitSnapshot, BudgetSnapshot, LimitRecord } from "@dt/core";
import { unitsText } from "./amounts.ts";
import { finding, inOrder, worstOf } from "./finding.ts";
import { judgePause, judgeStored } from "./judge-stored.ts";
import { nameText } from "./name-text.ts";
import type { Finding, LimiterReport, LimitReport } from "./report.ts";

/** A budget from what its store keeps of it. */
export function judgeBudget(snapshot: BudgetSnapshot, stored: LimitRecord | undefined): LimiterReport {
  const { budget: name, terms, formerTerms, limits, open, pausedForMs } = snapshot;
  const isUsed = open > 0 || limits.some(({ spent }) => spent > 0);
  const findings: Finding[] = [
    ...judgeStored(stored, isUsed, snapshot.stored !== undefined),
    ...judgePause(pausedForMs),
    ...limits.flatMap(judgeLimit),
  ];
  if (formerTerms !== undefined)
    findings.push(
      finding("ok", "terms", `its terms ${nameText(terms ?? "")} take the place of ${nameText(formerTerms)}`),
    );
  const ordered = inOrder(findings);
  return {
    kind: "budget",
    name,
    state: worstOf(ordered.map(({ state }) => state)),
    findings: ordered,
    limits: limits.map(limitOf),
    pausedForMs,
    open,
    ...(terms !== undefined && { terms }),
    ...(stored && { stored }),
  };
}

/** True where nothing is left that a call may spend. What is kept free for estimates that are off is not left. */
function binds({ spent, margin, max }: BudgetLimitSnapshot): boolean {
  return spent + margin >= max;
}

function judgeLimit(limit: BudgetLimitSnapshot): readonly Finding[] {
  const { name, spent, margin, max } = limit;
  if (!binds(limit)) return [];
  const amounts = `${unitsText(spent)} of ${unitsText(max)} are spent`;
  if (spent > max) return [finding("limited", "debt", `limited by ${nameText(name)}, in debt: ${amounts}`)];
  const kept = margin > 0 ? `, ${unitsText(margin)} are kept free` : "";
  return [finding("limited", "binds", `limited by ${nameText(name)}: ${amounts}${kept}`)];
}

function limitOf(limit: BudgetLimitSnapshot): LimitReport {
  const { name, max, windowMs, spent, margin } = limit;
  return { name, max, windowMs, used: spent, utilization: max > 0 ? spent / max : null, margin, binds: binds(limit) };
}
