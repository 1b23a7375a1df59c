import type {
  Activity,
  Demand,
  Farewell,
  MemberRef,
  PermitRelease,
  PermitRequest,
  Registration,
  Report,
  SpendRequest,
  SpendReservation,
  Use,
} from "@dt/core";
import { type LimitRecordRow, SLOT_INTERVAL_MS } from "@dt/core/ledger";

/**
 * What the scripts get besides keys and channel, in the order that the headers of the `.lua` files give. Numbers travel
 * as JavaScript prints them, which names each double exactly.
 */
export function registerArguments(registration: Registration): string[] {
  return [
    registration.incarnation,
    registration.id,
    String(registration.seq),
    registration.rejoin ? "1" : "0",
    String(registration.claim),
    String(registration.max),
    String(registration.intervalMs),
    String(registration.staleAfterMs),
    String(registration.learningMs),
    optional(registration.level),
    String(registration.resumeWithinMs),
    String(registration.observedMs),
    String(registration.clockErrorMs ?? 0),
    ...demandArguments(registration.demand),
    ...slotArguments(registration.demand),
  ];
}

export function syncArguments(member: MemberRef, report: Report): string[] {
  return [
    member.incarnation,
    String(report.seq),
    String(report.generation),
    String(report.members),
    String(report.held),
    String(report.max),
    optional(report.level),
    String(report.observedMs ?? 0),
    ...useArguments(report.use),
    ...demandArguments(report.demand),
    activityArgument(report.activity),
    report.pauseMs ? String(report.pauseMs) : "",
    ...slotArguments(report.demand),
  ];
}

export function deregisterArguments(member: MemberRef, farewell: Farewell): string[] {
  return [
    member.incarnation,
    optional(farewell.level),
    String(farewell.observedMs ?? 0),
    ...useArguments(farewell.use),
  ];
}

function useArguments(use: Use | undefined): string[] {
  return use ? [String(use.epoch), String(use.used)] : ["", ""];
}

function demandArguments(demand: Demand | undefined): string[] {
  return demand ? [String(demand.want), String(demand.syncMs)] : ["", ""];
}

/** True where the script is given all keys of a semaphore at once, and not after it has asked for them. */
export function isOfSemaphore({ demand, intervalMs }: Pick<Registration, "demand"> & Partial<Registration>): boolean {
  return demand?.slots !== undefined || intervalMs === SLOT_INTERVAL_MS;
}

/** Only a member of a semaphore has these. */
function slotArguments(demand: Demand | undefined): string[] {
  if (!demand?.slots) return [];
  const { waiting, head, tookOffer } = demand.slots;
  return [String(waiting), String(head), tookOffer ? "1" : "0"];
}

function activityArgument(activity: Activity | undefined): string {
  return activity ? `${activity.used} ${activity.waiting}` : "";
}

export function reserveArguments(request: PermitRequest): string[] {
  const { id, count, cost, everyMs, burst, maxReserved, keepMs, queueMs, terms = "", formerTerms = "" } = request;
  const { pauseMs = 0 } = request;
  return [
    id,
    ...[count, cost, everyMs, burst, maxReserved, keepMs, queueMs].map(String),
    terms,
    formerTerms,
    String(pauseMs),
  ];
}

export function releaseArguments({ id, keep }: PermitRelease): string[] {
  return [id, String(keep)];
}

export function spendArguments(request: SpendRequest): string[] {
  const { limits, keeps, terms = "", formerTerms = "", settle = [], stated = [], pauseMs = 0, reserve } = request;
  return [
    ...[terms, formerTerms, String(pauseMs), keeps.join(" ")],
    ...[
      String(limits.length),
      ...limits.flatMap(({ name, max, windowMs, burst }) => [name, `${max} ${windowMs} ${burst}`]),
    ],
    ...[
      String(settle.length),
      ...settle.flatMap(({ id, costs, measured }) => [id, [measured ? 1 : 0, ...costs].join(" ")]),
    ],
    ...[String(stated.length), ...stated.map(({ limit, rest, resetMs }) => `${limit} ${rest} ${resetMs}`)],
    ...(reserve ? reservationArguments(reserve) : []),
  ];
}

function reservationArguments({ id, costs, tier, maxWaitMs, keepMs, force }: SpendReservation): string[] {
  return [id, [tier, maxWaitMs, keepMs, force ? 1 : 0, ...costs].join(" ")];
}

/** What a record is written with. */
export function limitArguments(from: number | null, row: LimitRecordRow): string[] {
  const { revision, values, untilMs, history } = row;
  return [optional(from), String(revision), values ?? "", optional(untilMs), history];
}

function optional(value: number | null): string {
  return value === null ? "" : String(value);
}
