import type { Farewell, MemberRef, Registration, Report, View } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import type { Lease } from "./driver.ts";
import type { GroupKeys } from "./keys.ts";
import type { RowTable } from "./row-table.ts";

/** A call that changes the ledger: of one member, or of nobody, to remove those that are stale. */
export type LedgerCall = (
  | { readonly kind: "prune"; readonly ref: MemberRef; readonly request: Report }
  | { readonly kind: "register"; readonly ref: MemberRef; readonly request: Registration }
  | { readonly kind: "sync"; readonly ref: MemberRef; readonly request: Report }
  | { readonly kind: "deregister"; readonly ref: MemberRef; readonly request: Farewell }
) & {
  /** True for a request that a newer one of the same incarnation has overtaken (R11). */
  readonly overtaken: boolean;
  /** A new lease to show that the member is alive; undefined when its old one does, or when the call is no heartbeat. */
  readonly lease: Lease | undefined;
  /** True when the request must be recorded even if it changes nothing but the level. */
  readonly insists: boolean;
};

/** Removes who is stale and does nothing else, as the sync of a stranger does. */
export const PRUNE: LedgerCall = {
  kind: "prune",
  ref: { id: "", incarnation: "" },
  request: { seq: 0, generation: 0, poolSize: 0, held: 0, max: 0, level: null },
  overtaken: false,
  lease: undefined,
  insists: false,
};

/** The keys that a call reads for certain; more turn out to be needed where the membership changes. */
export function keysOf(call: LedgerCall, keys: GroupKeys): readonly string[] {
  const own = keys.memberOf(call.ref.incarnation);
  return call.kind === "register" ? [own, keys.holderOf(call.ref.id), keys.levels] : [own];
}

/**
 * Applies a call to the ledger; a farewell has no answer.
 * @throws DtError `DT_INTERVAL_MISMATCH`, and {@link ./cells.ts NotRead} when a key is missing
 */
export function applyCall(call: LedgerCall, table: RowTable, nowMs: number): View | undefined {
  const { ref, overtaken, lease } = call;
  // The ledger knows the requests that were recorded. One that was overtaken by another that had not to be recorded is told by its 0.
  const known = table.member(ref.incarnation) !== undefined;
  const seq = overtaken && known ? 0 : call.request.seq;
  if (call.kind === "deregister") {
    ledger.deregister(table, ref, { ...call.request, seq }, nowMs);
    return undefined;
  }
  const view =
    call.kind === "register"
      ? ledger.register(table, { ...call.request, seq }, nowMs)
      : ledger.sync(table, ref, { ...call.request, seq }, nowMs);
  const isHeartbeat = !overtaken || !known;
  if (lease && isHeartbeat && (view.status === "agree" || view.status === "disagree"))
    table.attach(ref.incarnation, lease);
  return view;
}

/** The answer to a report that was not recorded; undefined when it has to be. */
export function answerUnrecorded(call: LedgerCall, table: RowTable, nowMs: number): View | undefined {
  if (call.kind !== "sync" || call.lease) return undefined;
  const row = table.group();
  const member = table.member(call.ref.incarnation);
  if (!row || !member) return { status: "unknown", storeTimeMs: nowMs };
  if (member.standing === "fenced") return { status: "fenced", storeTimeMs: nowMs };
  // A newcomer's first sync decides who is the holder of the id.
  return member.standing === "newcomer" ? undefined : ledger.unrecordedView({ ...row, lastMs: nowMs }, member);
}
