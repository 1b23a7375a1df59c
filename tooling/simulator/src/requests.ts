import type {
  MemberRef,
  MemberView,
  PermitRequest,
  Registration,
  Report,
  SpendRequest,
  SpendReservation,
  View,
} from "@dt/core";

let incarnations = 0;
let permitRequests = 0;
let spendRequests = 0;

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

/**
 * A request to a budget of 10 calls and 1,000 tokens a minute: one call of 100 tokens, at once or not at all; no two
 * have the same id.
 */
export function spendRequest(
  reserve: Partial<SpendReservation> = {},
  others: Partial<SpendRequest> = {},
): SpendRequest & { readonly reserve: SpendReservation } {
  spendRequests += 1;
  const id = `lease-${process.pid}-${spendRequests}`;
  return {
    limits: [
      { name: "calls", max: 10, windowMs: 60_000, burst: 10 },
      { name: "tokens", max: 1_000, windowMs: 60_000, burst: 1_000 },
    ],
    keeps: [0],
    ...others,
    reserve: { id, costs: [1, 100], tier: 0, maxWaitMs: 0, keepMs: 60_000, ...reserve },
  };
}
