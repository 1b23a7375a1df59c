import type { MemberRef, Registration, Report } from "@dt/core";

/** A newcomer's registration. */
export function registration(id: string, overrides: Partial<Registration> = {}): Registration {
  return {
    id,
    incarnation: `${id}-boot`,
    seq: 1,
    rejoin: false,
    claim: 0,
    max: 100,
    intervalMs: 1_000,
    staleAfterMs: 60_000,
    learningMs: 0,
    level: null,
    resumeWithinMs: 0,
    observedMs: 0,
    ...overrides,
  };
}

export function report(seq: number, overrides: Partial<Report> = {}): Report {
  return { seq, generation: 0, members: 0, held: 0, max: 100, level: null, ...overrides };
}

export function ref(id: string): MemberRef {
  return { id, incarnation: `${id}-boot` };
}
