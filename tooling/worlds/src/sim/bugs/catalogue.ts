import { type Bug, bug } from "./bug.ts";
import { LEDGER_BUGS } from "./ledger-bugs.ts";
import { PROCESSOR_BUGS } from "./processor-bugs.ts";

/** Every seeded bug. */
export const BUGS: readonly Bug[] = [...PROCESSOR_BUGS, ...LEDGER_BUGS];

/** Not a bug: the seed's way, in which a newcomer starts only once everybody agrees. What the share ledger is measured against. */
export const WAITING_FOR_AGREEMENT: Bug = bug(
  "waiting-for-agreement",
  "nobody is raised before everybody agrees",
  "consensus/holding.ts",
  "if (limit > this.held) this.#raises",
  "if (limit > this.held && limit < 0) this.#raises",
);

/** @throws TypeError when there is no such change */
export function changeNamed(name: string): Bug {
  const found = [...BUGS, WAITING_FOR_AGREEMENT].find((change) => change.name === name);
  if (found) return found;
  throw new TypeError(
    `--with is "${name}"; give one of ${[...BUGS, WAITING_FOR_AGREEMENT].map((change) => change.name).join(", ")}`,
  );
}
