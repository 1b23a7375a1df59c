import { MEMBER_BUGS } from "./member-bugs.ts";
import type { SlotBug } from "./slot-bug.ts";
import { STORE_BUGS } from "./store-bugs.ts";

/** Every seeded bug of semaphores. */
export const SLOT_BUGS: readonly SlotBug[] = [...MEMBER_BUGS, ...STORE_BUGS];

/**
 * The bug of this name.
 * @throws TypeError when there is no such bug
 */
export function bugNamed(name: string): SlotBug {
  const found = SLOT_BUGS.find((bug) => bug.name === name);
  if (found) return found;
  throw new TypeError(`--with is "${name}"; give one of ${SLOT_BUGS.map((bug) => bug.name).join(", ")}`);
}
