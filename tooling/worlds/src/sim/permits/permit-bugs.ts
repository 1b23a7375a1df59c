import type { Bug } from "../bugs/bug.ts";
import { CLIENT_BUGS } from "./bugs/client-bugs.ts";
import { INSTANT_BUGS } from "./bugs/instant-bugs.ts";
import { LEDGER_BUGS } from "./bugs/ledger-bugs.ts";
import { LINE_BUGS } from "./bugs/line-bugs.ts";
import { SITE_BUGS } from "./bugs/site-bugs.ts";

/**
 * Deliberate faults in the pacer and in the arithmetic under it. Each must be found by some seed, but for
 * {@link TOO_RARE}.
 */
export const PERMIT_BUGS: readonly Bug[] = [
  ...INSTANT_BUGS,
  ...LINE_BUGS,
  ...CLIENT_BUGS,
  ...SITE_BUGS,
  ...LEDGER_BUGS,
];

/**
 * What these do takes more coincidences than thousands of seeds have: a copy of a request that arrives between a
 * refusal and the next question, and a process that stands still, or a caller that leaves, just then.
 * `packages/core/test/pacer/pacer-edges.test.ts` brings them about.
 */
export const TOO_RARE: ReadonlySet<string> = new Set(["repeated-answer-is-fresh", "same-request-other-cost"]);
