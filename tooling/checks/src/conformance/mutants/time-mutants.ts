import { type Mutant, mutant } from "./flaw.ts";
import { patchGroup, patchView } from "./rows.ts";
import { wallClockErrorMs } from "./wall-clock-error.ts";

/** R2: whose time, and which way it goes. */
export const timeMutants: readonly Mutant[] = [
  mutant("the store takes its caller's wall clock (Date.now)", "R2", { clock: (nowMs) => nowMs + wallClockErrorMs() }),
  mutant("the clock is read before the wait for the group's lock", "R2", { transactions: { readsClockEarly: true } }),
  mutant("store time stands still", "R2", { clock: () => 1_700_000_000_000 }),
  mutant("the time that a report has observed is ignored", "R2", {
    sync: ({ request }, proceed) => proceed({ ...request, observedMs: 0 }),
  }),
  mutant("the time that a member has observed counts however far ahead it is", "R2", {
    sync: ({ table, request, nowMs }, proceed) => {
      const observedMs = request.observedMs ?? 0;
      patchGroup(table, (row) => ({ offsetMs: Math.max(row.offsetMs, observedMs - nowMs) }));
      return proceed();
    },
  }),
  mutant("the group's age does not grow", "R2", {
    sync: (_, proceed) => patchView(proceed(), () => ({ groupAgeMs: 0 })),
  }),
];
