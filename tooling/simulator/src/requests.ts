import type { MemberRef, MemberView, PermitRequest, Registration, Report, View } from "@dt/core";

let incarnations = 0;
let permitRequests = 0;

/** A registration of a newcomer with everyday values: max 10, one second, stale after 8 s, no learning. */
export function newcomer(overrides: Partial<Registration> = {}): Registration {
  incarnations += 1;
  return {
    id: `p${incarnations}`,
    incarnation: `boot-${process.pid}-${incarnations}`,
    seq: 1,
    rejoin: false,
    claim: 0,
    max: 10,
    intervalMs: 1_000,
    staleAfterMs: 8_000,
    learningMs: 0,
    level: null,
    resumeWithinMs: 0,
    observedMs: 0,
    ...overrides,
  };
}

/** The report of a member that adopts a view as it is. */
export function adopting(view: View, seq: number, overrides: Partial<Report> = {}): Report {
  const { generation, members, entitled, capacity } = accepted(view);
  return { seq, generation, members, held: entitled, max: capacity, level: null, ...overrides };
}

/** True for the answer to a member. */
export function isMember(view: View): view is MemberView {
  return view.status === "agree" || view.status === "disagree";
}

/** The view of a member, not a refusal. */
export function accepted(view: View): MemberView {
  if (isMember(view)) return view;
  throw new Error(`refused: ${view.status}`);
}

export function refOf(registration: MemberRef): MemberRef {
  return { id: registration.id, incarnation: registration.incarnation };
}

/** A request for one permit a second, nothing reserved ahead; no two have the same id. */
export function permitRequest(overrides: Partial<PermitRequest> = {}): PermitRequest {
  permitRequests += 1;
  return {
    id: `request-${process.pid}-${permitRequests}`,
    count: 1,
    cost: 1,
    everyMs: 1_000,
    burst: 1,
    maxReserved: 0,
    keepMs: 1_000,
    queueMs: 0,
    ...overrides,
  };
}
