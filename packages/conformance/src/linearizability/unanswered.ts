import type { PermitRequest } from "@dt/core";
import { instantOf, reservePermits } from "@dt/core/ledger";
import { EDGE_MS } from "../permits/tolerance.ts";
import type { PermitOperation, ReserveOperation } from "./operation.ts";
import type { State } from "./state.ts";

/** Answers after it that may tell of it. */
const NEXT_ANSWERS = 8;

/** Unanswered permits between an unanswered reservation and an answer that tells of it. */
const MOST_BETWEEN = 16;

/**
 * States after a reservation whose answer was lost. When it was served matters on an idle key, where its time becomes
 * the instant: then a later answer shows it, either the same id's or the instant of somebody behind it. And it matters
 * to how many the bound lets through, and to when a pause ends that it set.
 */
export function unansweredTimes(
  operations: readonly PermitOperation[],
  { request }: ReserveOperation,
  table: State,
  nextMs: number | undefined,
): State[] {
  const lastMs = table.row()?.lastMs ?? 0;
  const latestMs = nextMs ?? lastMs;
  const times = new Set([lastMs, latestMs]);
  const idle = (table.row()?.tatMs ?? 0) < latestMs;
  const further = [
    ...openings(request, table),
    ...pausing(operations, request),
    ...(idle ? reasons(operations, request, lastMs) : []),
  ];
  for (const atMs of further) if (atMs > lastMs && atMs < latestMs) times.add(atMs);
  return [...times].map((atMs) => {
    const after = table.clone();
    reservePermits(after, request, atMs);
    return after;
  });
}

/** Times from which the bound lets one permit more through. */
function openings({ cost, everyMs, burst, maxReserved, count }: PermitRequest, table: State): number[] {
  const firstMs = (table.row()?.tatMs ?? 0) - (burst + maxReserved) * everyMs + EDGE_MS;
  return Array.from({ length: Math.min(count, MOST_BETWEEN) }, (_, i) => firstMs + i * cost * everyMs);
}

/** Times at which it would have set the pauses that answers tell of. */
function pausing(operations: readonly PermitOperation[], { pauseMs = 0 }: PermitRequest): number[] {
  if (pauseMs === 0) return [];
  return operations.flatMap((operation) => {
    const { pausedForMs, storeTimeMs = 0 } = (operation.call === "reserve" && operation.answer) || {};
    return pausedForMs === undefined ? [] : [storeTimeMs + pausedForMs - pauseMs];
  });
}

/**
 * Times at which it would be served to lead to one of the next instants that were answered, with up to all unanswered
 * permits in between.
 */
function reasons(operations: readonly PermitOperation[], request: PermitRequest, lastMs: number): number[] {
  const reserves = operations.filter((operation) => operation.call === "reserve");
  const unanswered = reserves.filter(({ answer }) => answer === undefined);
  const most = Math.min(
    MOST_BETWEEN,
    unanswered.reduce((sum, { request: { count } }) => sum + count, 0),
  );
  const stepMs = request.cost * request.everyMs;
  const own = reserves.flatMap(({ request: { id }, answer }) =>
    answer && id === request.id ? [answer.earliestMs] : [],
  );
  const next = reserves
    .flatMap(({ answer }) => (answer && answer.granted > 0 && answer.storeTimeMs > lastMs ? [answer] : []))
    .sort((a, b) => a.storeTimeMs - b.storeTimeMs)
    .slice(0, NEXT_ANSWERS);
  const between = next.flatMap((answer) =>
    Array.from({ length: most }, (_, i) => instantOf(answer, 0) - (i + 1) * stepMs),
  );
  return [...own, ...between];
}
