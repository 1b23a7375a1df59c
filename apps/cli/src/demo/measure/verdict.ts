import type { RunRecord } from "../record.ts";
import { type DemoSettings, type Facts, factsOf } from "./facts.ts";

/** One condition of a pass, and whether it held. */
export interface Check {
  readonly check: string;
  readonly pass: boolean;
  /** What was found, beside what was asked for. */
  readonly detail: string;
}

/** One run of the demo in numbers: what `--json` prints, and all that reports show but the curves. */
export type DemoResult = Facts & { readonly checks: readonly Check[]; readonly pass: boolean };

/** @param parts the record of the fleet without a shared limit, which is compared and not judged */
export function measure(settings: DemoSettings, record: RunRecord, parts: RunRecord): DemoResult {
  const facts = factsOf(settings, record, parts);
  const checks = judge(facts);
  return { ...facts, checks, pass: checks.every(({ pass }) => pass) };
}

/** The checks that no machine may fail, however busy it is. */
export const KEPT: readonly string[] = ["never above the limit", "no call without a grant"];

const LEAST_UTILISATION = 0.95;
const MOST_IN_A_SECOND = 1.05;
const MOST_REJECTED = 0.005;

/**
 * The verdict on a run. The conditions on the sliding second hold for tokens released evenly; a share released at once
 * is a burst by intent.
 */
export function judge(facts: Facts): Check[] {
  const { max, limit, headroom, served, rejected429, granted, worstSlidingSecond, maxGrantedPerEpoch } = facts;
  const arrived = served + rejected429;
  const checks: Check[] = [
    {
      check: "never above the limit",
      pass: granted > 0 && maxGrantedPerEpoch <= limit,
      detail: `at most ${maxGrantedPerEpoch} calls granted in an interval of a second, of ${limit}${headroom > 0 ? ` (${max}, less ${headroom} in reserve)` : ""}`,
    },
    {
      check: "no call without a grant",
      pass: arrived <= granted,
      detail: `${arrived} calls arrived, ${granted} were granted`,
    },
    {
      check: "the limit is used",
      pass: facts.epochsWithoutChurn > 0 && facts.utilisation >= LEAST_UTILISATION,
      detail: utilisationDetail(facts),
    },
    {
      check: "shares right after every change",
      pass: facts.startConvergenceMs !== null && facts.convergenceMs.every((ms) => ms !== null),
      detail: [
        `start ${milliseconds(facts.startConvergenceMs)}`,
        ...facts.changes.map(
          ({ change }, index) => `${CHANGE_NAMES[change]} ${milliseconds(facts.convergenceMs[index] ?? null)}`,
        ),
      ].join(", "),
    },
  ];
  if (facts.release === "epoch") return checks;
  return [
    ...checks,
    {
      check: "most calls in any second",
      pass: worstSlidingSecond <= MOST_IN_A_SECOND * max,
      detail: `${worstSlidingSecond}, of ${max}`,
    },
    {
      check: "calls refused",
      pass: arrived > 0 && rejected429 <= MOST_REJECTED * arrived,
      detail: `${rejected429} of ${arrived}${arrived > 0 ? ` (${((100 * rejected429) / arrived).toFixed(2)} %)` : ""}, at most ${100 * MOST_REJECTED} %`,
    },
  ];
}

const CHANGE_NAMES = { join: "join", kill: "crash", leave: "leave" };

function utilisationDetail({ utilisation, epochsWithoutChurn, headroom, max }: Facts) {
  const found = `${(100 * utilisation).toFixed(1)} % of the server's limit, in the ${epochsWithoutChurn} seconds that no change touches`;
  const headroomShare = headroom / max;
  if (1 - headroomShare >= LEAST_UTILISATION) return found;
  return `${found}; the headroom alone costs ${(100 * headroomShare).toFixed(0)} %: a larger --max needs less of it`;
}

function milliseconds(value: number | null): string {
  return value === null ? "never" : `${value} ms`;
}
