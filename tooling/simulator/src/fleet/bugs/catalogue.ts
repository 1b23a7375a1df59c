import type { Bug } from "./bug.ts";
import { CLOCK_BUGS, EPOCHS_BY_WALL_CLOCK } from "./clock-bugs.ts";
import { COLLECTING_BUGS } from "./collecting-bugs.ts";
import { DEMAND_BUGS, OWN_TOKENS_FREE } from "./demand-bugs.ts";
import { LEDGER_BUGS } from "./ledger-bugs.ts";
import { PROCESS_BUGS } from "./process-bugs.ts";
import { lying } from "./seams.ts";
import { RARE_BUGS, USE_BUGS } from "./use-bugs.ts";

/** Every seeded bug. */
export const BUGS: readonly Bug[] = [
  ...PROCESS_BUGS,
  ...CLOCK_BUGS,
  ...LEDGER_BUGS,
  ...USE_BUGS,
  ...DEMAND_BUGS,
  ...COLLECTING_BUGS,
];

/** Not a bug: a newcomer starts only once everybody agrees. What the share ledger is measured against. */
const WAITING_FOR_AGREEMENT: Bug = {
  name: "waiting-for-agreement",
  what: "nobody is raised before everybody agrees",
  store: lying(() => ({
    answer: (view, held) => (view.status === "agree" ? view : { ...view, entitled: Math.min(view.entitled, held) }),
  })),
};

const CHANGES: readonly Bug[] = [...BUGS, ...RARE_BUGS, OWN_TOKENS_FREE, WAITING_FOR_AGREEMENT, EPOCHS_BY_WALL_CLOCK];

/**
 * The change of this name.
 * @throws TypeError when there is no such change
 */
export function changeNamed(name: string): Bug {
  const found = CHANGES.find((change) => change.name === name);
  if (found) return found;
  throw new TypeError(`--with is "${name}"; give one of ${CHANGES.map((change) => change.name).join(", ")}`);
}
