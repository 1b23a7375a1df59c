import type { RunRecord } from "../record.ts";
import { type DemoSettings, type Facts, factsOf } from "./facts.ts";

/** One condition of a pass, and whether it held. */
export interface Check {
  readonly check: string;
  readonly pass: boolean;
  /** What was found, beside what was asked for. */
  readonly detail: string;
}

/** One run of the demo in numbers: what `--json` prints, and all that reports show. */
export type DemoResult = Facts & { readonly checks: readonly Check[]; readonly pass: boolean };

export function measure(settings: DemoSettings, record: RunRecord): DemoResult {
  const facts = factsOf(settings, record);
  const checks = judge(facts);
  return { ...facts, checks, pass: checks.every(({ pass }) => pass) };
}

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
      check: "no epoch above the limit",
      pass: granted > 0 && maxGrantedPerEpoch <= limit,
      detail: `at most ${maxGrantedPerEpoch} tokens granted in an epoch, of ${limit}${headroom > 0 ? ` (${max} less ${headroom} headroom)` : ""}`,
    },
    {
      check: "no request without a token",
      pass: arrived <= granted,
      detail: `${arrived} requests arrived, ${granted} tokens were granted`,
    },
    {
      check: "utilisation without churn",
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
      check: "worst sliding second",
      pass: worstSlidingSecond <= MOST_IN_A_SECOND * max,
      detail: `${worstSlidingSecond} requests, of ${max}`,
    },
    {
      check: "429s",
      pass: arrived > 0 && rejected429 <= MOST_REJECTED * arrived,
      detail: `${rejected429} of ${arrived} requests${arrived > 0 ? ` (${((100 * rejected429) / arrived).toFixed(2)} %)` : ""}, at most ${100 * MOST_REJECTED} %`,
    },
  ];
}

const CHANGE_NAMES = { join: "join", kill: "crash", leave: "leave" };

function utilisationDetail({ utilisation, epochsWithoutChurn, headroom, max }: Facts) {
  const found = `${(100 * utilisation).toFixed(1)} % of the server's limit in ${epochsWithoutChurn} epochs`;
  const headroomShare = headroom / max;
  if (1 - headroomShare >= LEAST_UTILISATION) return found;
  return `${found}; the headroom alone costs ${(100 * headroomShare).toFixed(0)} %: a larger --max needs less of it`;
}

function milliseconds(value: number | null): string {
  return value === null ? "never" : `${value} ms`;
}
