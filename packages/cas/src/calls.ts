import type { Farewell, MemberRef, Registration, Report, View } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { credible, type LedgerTable } from "@dt/core/ledger";
import { LONGEST_LAG_MS } from "./head.ts";
import type { HybridClock } from "./hybrid-clock.ts";
import { rebornGroup } from "./reborn-group.ts";
import { unrecordedView } from "./unrecorded.ts";

/** A request to the ledger: of a member, or of no member, to remove those that are stale. */
export type LedgerRequest =
  | { readonly kind: "register"; readonly ref: MemberRef; readonly request: Registration }
  | { readonly kind: "sync"; readonly ref: MemberRef; readonly request: Report }
  | { readonly kind: "deregister"; readonly ref: MemberRef; readonly request: Farewell }
  | { readonly kind: "prune"; readonly ref: MemberRef; readonly request: Report };

/** A request and how it is to be treated. */
export type LedgerCall = LedgerRequest & {
  /** True for a request that a newer one of the same incarnation has overtaken (R11). */
  readonly overtaken: boolean;
  /**
   * `news`: recorded if it changes more than times and numbers of heartbeats. `wanted`: recorded, if others leave the
   * chance to. `needed`: recorded or failed.
   */
  readonly record: "news" | "wanted" | "needed";
};

/** Removes who is stale and does nothing else, as the sync of a stranger does. */
export const PRUNE: LedgerCall = {
  kind: "prune",
  ref: { id: "", incarnation: "" },
  request: { seq: 0, generation: 0, members: 0, held: 0, max: 0, level: null },
  overtaken: false,
  record: "news",
};

/**
 * Applies a call to the ledger; a farewell has no answer.
 * @throws DtError `DT_INTERVAL_MISMATCH`, and what the table throws
 */
export function applyCall(call: LedgerCall, table: LedgerTable, nowMs: number): View | undefined {
  const { ref, overtaken } = call;
  // The ledger knows the requests that were recorded. One that was overtaken by another that had not to be recorded is
  // told by its 0.
  const seq = overtaken && table.member(ref.incarnation) ? 0 : call.request.seq;
  switch (call.kind) {
    case "register":
      // Whoever comes back to a group that does not exist is a witness that its data was lost.
      if (call.request.rejoin && !table.group())
        table.putGroup(
          rebornGroup({ ...call.request, generation: 0 }, Math.max(nowMs, credible(call.request.observedMs, nowMs))),
        );
      return ledger.register(table, { ...call.request, seq }, nowMs);
    case "deregister":
      ledger.deregister(table, ref, { ...call.request, seq }, nowMs);
      return undefined;
    default: {
      const { pauseMs = 0 } = call.request;
      // Another client's clock may be ahead by so much: for none the pause ends too early (R35).
      const pause = pauseMs > 0 && { pauseMs: pauseMs + LONGEST_LAG_MS };
      return ledger.sync(table, ref, { ...call.request, ...pause, seq }, nowMs);
    }
  }
}

/** The answer to a report that was not recorded, from the ledger as it is; undefined when it has to be recorded. */
export function answerUnrecorded(call: LedgerCall, table: LedgerTable, nowMs: number): View | undefined {
  if (call.kind !== "sync" || call.record === "needed" || (call.request.pauseMs ?? 0) > 0) return undefined;
  const row = table.group();
  const member = table.member(call.ref.incarnation);
  if (!row || !member) return { status: "unknown", storeTimeMs: nowMs };
  if (member.standing === "fenced") return { status: "fenced", storeTimeMs: nowMs };
  // A newcomer's first sync decides who is the holder of the id.
  if (member.standing === "newcomer") return undefined;
  return unrecordedView({ ...row, lastMs: nowMs }, member, call.request.demand?.syncMs);
}

/** True for a call that goes by the group's limit record (R36). */
export function hasStored(call: LedgerCall): boolean {
  return call.kind !== "deregister" && call.request.stored === true;
}

/** Takes in what a member was answered before, which is group time, too; as far as it may be believed. */
export function observeRequest(call: LedgerCall, clock: HybridClock): void {
  const { observedMs = 0 } = call.request;
  if (observedMs > 0) clock.observe(credible(observedMs, clock.now()));
}
