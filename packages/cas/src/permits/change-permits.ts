import { type DtError, isDtError, type PermitRelease, type PermitRequest, type Reservation } from "@dt/core";
import { MemoryPermitTable, type PermitRow, releasePermits, reservePermits, resetPermits } from "@dt/core/ledger";
import type { StoredPermits } from "./permit-cell.ts";
import type { PermitClock } from "./permit-clock.ts";
import { decodePermits, type PermitDocument } from "./permit-document.ts";

/**
 * While instants lie ahead, the time of a key that several clients use now and then is recorded this often, in
 * milliseconds. Less than what a clock may be ahead.
 */
const RENEW_MS = 250;

/**
 * The same for a key that is used so densely that its users tell each other the time: in case that has just come to an
 * end.
 */
const DENSE_RENEW_MS = 2_000;

/** A key is shared if two clients have taken turns within this time. */
const SHARED_FOR_MS = 60_000;

/** What is taken for the usual distance between reservations before there are any. */
const FIRST_GAP_MS = 500;

/** The weight of the last distance between reservations in the usual one. */
const GAP_WEIGHT = 0.2;

/**
 * What is done with a key. `reset` forgets it, also when it is damaged; `renew` records its time, if the last record is
 * this client's.
 */
export type PermitOperation =
  | { readonly kind: "reserve"; readonly request: PermitRequest }
  | { readonly kind: "release"; readonly release: PermitRelease }
  | { readonly kind: "reset" }
  | { readonly kind: "renew" };

/** What an operation came to: a refusal is that operation's alone. */
export type Answer = Reservation | DtError | undefined;

/** The document after some operations, and the answers of those that have one. */
export interface Changed {
  /** Undefined when there is nothing to be written. */
  readonly document: PermitDocument | undefined;
  readonly answers: readonly Answer[];
}

/** True for an answer that was refused by itself. */
export function isRefusal(answer: Answer): answer is DtError {
  return isDtError(answer);
}

/** What operations are done with. */
export interface ChangeContext {
  readonly clock: PermitClock;
  readonly client: string;
  /** What holds the document, for messages. */
  readonly name: string;
}

/**
 * Does operations at the time that it is now, by the key's clock; undefined when there is nothing to be written.
 * @throws DtError `DT_STORE_DATA` when what is stored is something else
 */
export function changePermits(
  stored: StoredPermits | undefined,
  operations: readonly PermitOperation[],
  { clock, client, name }: ChangeContext,
): Changed | undefined {
  const resets = operations.some(({ kind }) => kind === "reset");
  const before = stored && readPermits(stored.text, name, resets);
  const row = before?.table.row();
  const isOwn = before?.use.by === client;
  if (stored && row) clock.observe({ timeMs: row.lastMs, mark: stored.revision, isOwn });
  else clock.begin();
  const asks = operations.some(({ kind }) => kind === "reserve");
  // Nothing is known of this key, so there is nothing to give back; and it is the last writer who records the time.
  if (!asks && !before && !(stored && resets)) return undefined;
  if (!isOwn && operations.every(({ kind }) => kind === "renew")) return undefined;
  const nowMs = clock.now();
  const table = before?.table ?? new MemoryPermitTable();
  let releases = before?.use.releases ?? 0;
  // What was damaged is replaced by a key that is new.
  if (stored && !before) table.putRow({ tatMs: 0, lastMs: nowMs, offsetMs: 0 });
  const answers = operations.map((operation): Answer => {
    if (operation.kind === "reserve") return reserveOrRefuse(table, operation.request, nowMs);
    if (operation.kind === "reset") {
      resetPermits(table, nowMs);
      releases += 1;
    }
    if (operation.kind === "release" && releasePermits(table, operation.release, nowMs)) releases += 1;
    if (operation.kind === "renew") table.putRow({ ...(table.row() as PermitRow), lastMs: nowMs });
    return undefined;
  });
  // Nothing was put if all were refused.
  if (answers.every(isRefusal)) return { document: undefined, answers };
  const renews = operations.some(({ kind }) => kind === "renew");
  const { sharedMs = null, reservedMs = nowMs - FIRST_GAP_MS, gapMs = FIRST_GAP_MS } = before?.use ?? {};
  // Nobody has come since, so it is not used densely any more.
  const usualMs = renews ? Math.max(gapMs, nowMs - reservedMs) : gapMs;
  const use = {
    by: client,
    sharedMs: before && !isOwn ? nowMs : sharedMs,
    reservedMs: asks ? nowMs : reservedMs,
    gapMs: asks ? usualMs + GAP_WEIGHT * (nowMs - reservedMs - usualMs) : usualMs,
    releases,
  };
  return { document: { table, use }, answers };
}

function reserveOrRefuse(table: MemoryPermitTable, request: PermitRequest, nowMs: number): Answer {
  try {
    return reservePermits(table, request, nowMs);
  } catch (error) {
    if (isDtError(error, "DT_PACE_MISMATCH")) return error;
    throw error;
  }
}

/** Undefined for what is damaged and to be reset. */
function readPermits(text: string, name: string, resets: boolean): PermitDocument | undefined {
  try {
    return decodePermits(text, name);
  } catch (error) {
    if (resets) return undefined;
    throw error;
  }
}

/** True when several clients have used the key lately. */
export function isShared({ table, use: { sharedMs } }: PermitDocument): boolean {
  return sharedMs !== null && lastMs(table) - sharedMs < SHARED_FOR_MS;
}

/**
 * When the last writer is to record the key's time again, in milliseconds from the last record; undefined when nothing
 * lies ahead. At the end of what is reserved, so that whoever comes later finds it past; before that only if several
 * clients use the key.
 */
export function renewInMs(document: PermitDocument): number | undefined {
  const { table, use } = document;
  const aheadMs = (table.row()?.tatMs ?? 0) - lastMs(table);
  if (aheadMs <= 0) return undefined;
  const untilPastMs = Math.max(aheadMs, RENEW_MS);
  if (!isShared(document)) return untilPastMs;
  return Math.min(untilPastMs, use.gapMs >= RENEW_MS ? RENEW_MS : DENSE_RENEW_MS);
}

function lastMs(table: MemoryPermitTable): number {
  return table.row()?.lastMs ?? 0;
}
