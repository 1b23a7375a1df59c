import type { LimitReport } from "../../fleet/report.ts";
import type { LimiterFrame } from "../protocol.ts";

/** The limit that stands for a limiter with several: one that binds, or the one of which most is used. */
export function shownLimit({ limits }: Pick<LimiterFrame, "limits">): LimitReport | undefined {
  return limits.toSorted(
    (one, other) => Number(other.binds) - Number(one.binds) || (other.utilization ?? 0) - (one.utilization ?? 0),
  )[0];
}

/** What the words of a filter are looked for in. */
export function limiterText({ kind, name, state, findings }: LimiterFrame): string {
  return [kind, name, state, ...findings.map(({ text }) => text)].join(" ");
}
