import { type Mutant, permitMutant } from "../flaw.ts";
import { wallClockErrorMs } from "../wall-clock-error.ts";

/** P2, P3, P4: whose clock, how far apart, how far ahead. */
export const spacingMutants: readonly Mutant[] = [
  permitMutant("permits are reserved on the caller's wall clock (Date.now)", "P2", {
    clock: (nowMs) => nowMs + wallClockErrorMs(),
  }),
  permitMutant("a permit's time is answered in seconds", "P2", {
    reserve: (_, proceed) => {
      const answer = proceed();
      return { ...answer, storeTimeMs: Math.floor(answer.storeTimeMs / 1_000) };
    },
  }),
  permitMutant("the burst is one larger than asked for", "P3", {
    reserve: ({ request }, proceed) => proceed({ ...request, burst: request.burst + 1 }),
  }),
  permitMutant("intervals are rounded down to whole milliseconds", "P3", {
    reserve: ({ request }, proceed) =>
      proceed({ ...request, everyMs: request.everyMs > 1 ? Math.floor(request.everyMs) : request.everyMs }),
  }),
  permitMutant("the bound is ignored", "P4", {
    reserve: ({ request }, proceed) => proceed({ ...request, maxReserved: 1_000_000 }),
  }),
  permitMutant("more permits are given than were asked for", "P4", {
    reserve: ({ request }, proceed) => proceed({ ...request, count: request.count + 1 }),
  }),
];
