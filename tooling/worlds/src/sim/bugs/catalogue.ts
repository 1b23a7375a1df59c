import type { MemberView } from "@dt/core";
import { type Bug, bug } from "./bug.ts";
import { CLOCK_BUGS } from "./clock-bugs.ts";
import { DEMAND_BUGS } from "./demand-bugs.ts";
import { EXCHANGE_BUGS } from "./exchange-bugs.ts";
import { GRANT_BUGS } from "./grant-bugs.ts";
import { HOLDING_BUGS } from "./holding-bugs.ts";
import { LEDGER_BUGS } from "./ledger-bugs.ts";
import { RARE_DEMAND_BUGS } from "./rare-demand-bugs.ts";
import { RARE_START_BUGS } from "./rare-start-bugs.ts";
import type { Breaks } from "./seams.ts";
import { START_BUGS } from "./start-bugs.ts";

/** Every seeded bug. */
export const BUGS: readonly Bug[] = [
  ...HOLDING_BUGS,
  ...EXCHANGE_BUGS,
  ...CLOCK_BUGS,
  ...GRANT_BUGS,
  ...LEDGER_BUGS,
  ...START_BUGS,
  ...DEMAND_BUGS,
];

/**
 * Not a bug: the seed's way, in which a newcomer starts only once everybody agrees. What the share ledger is measured
 * against.
 */
export const WAITING_FOR_AGREEMENT: Bug = bug("waiting-for-agreement", "nobody is raised before everybody agrees", {
  "consensus/holding.ts": {
    Holding: ({ Holding }) =>
      class extends Holding {
        override accept(view: MemberView): void {
          const entitled = view.status === "agree" ? view.entitled : Math.min(view.entitled, this.held);
          super.accept({ ...view, entitled });
        }
      },
  },
});

/**
 * Not a bug by itself: a ledger that does not look whether its rows fit together, and so goes on where another would
 * stop.
 */
export const ROWS_UNCHECKED: Bug = bug("rows-unchecked", "the group's row is not checked", {
  "ledger/aggregates.ts": { checkAggregates: () => () => undefined },
});

/** For the worlds whose wall clocks go wrong; in the others there is nothing to see of it. */
const EPOCHS_BY_WALL_CLOCK: Bug = bug("epochs-by-wall-clock", "epochs are counted on the wall clock", {
  "consensus/store-clock.ts": {
    StoreClock: ({ StoreClock }) =>
      class extends StoreClock {
        override toStore(): number {
          return Date.now();
        }
      },
  },
});

const CHANGES: readonly Bug[] = [
  ...BUGS,
  ...RARE_START_BUGS,
  ...RARE_DEMAND_BUGS,
  WAITING_FOR_AGREEMENT,
  ROWS_UNCHECKED,
  EPOCHS_BY_WALL_CLOCK,
];

/**
 * The change of this name; of several with "+" between them, all.
 * @throws TypeError when there is no such change
 */
export function changeNamed(name: string): Bug {
  const parts = name.split("+").map((part) => {
    const found = CHANGES.find((change) => change.name === part);
    if (found) return found;
    throw new TypeError(`--with is "${part}"; give one of ${CHANGES.map((change) => change.name).join(", ")}`);
  });
  return { name, what: parts.map(({ what }) => what).join("; "), breaks: together(parts) };
}

function together(bugs: readonly Bug[]): Breaks {
  const all: Record<string, object> = {};
  for (const { breaks } of bugs)
    for (const [file, replacements] of Object.entries(breaks)) all[file] = { ...all[file], ...replacements };
  return all;
}
