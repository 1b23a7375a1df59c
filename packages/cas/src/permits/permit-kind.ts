import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";
import { meaningfulForMs, type PermitRow, releasePermits, reservePermits, resetPermits } from "@dt/core/ledger";
import type { DocumentKind } from "../timed-document/document-kind.ts";
import { decodePermits, encodePermits, type PermitContents, permitContents } from "./permit-document.ts";

/** What is asked of a key. */
export type PermitOperation =
  | { readonly kind: "reserve"; readonly request: PermitRequest }
  | { readonly kind: "release"; readonly release: PermitRelease };

/** A key's permits as a document. Its instants lie ahead until the last of them is past. */
export const PERMIT_KIND: DocumentKind<PermitContents, PermitOperation, Reservation | undefined> = {
  what: "the key",
  staysAhead: true,
  encode: encodePermits,
  decode: decodePermits,
  begin: () => permitContents(),
  isUse: ({ kind }) => kind === "reserve",
  isStored: (operation) => operation.kind === "reserve" && operation.request.stored === true,
  copiedFrom: ({ table }) => table.row()?.stored?.revision,
  apply: (contents, operation, nowMs, limit) => {
    contents.limit = limit;
    if (operation.kind === "reserve") return reservePermits(contents.table, operation.request, nowMs);
    if (releasePermits(contents.table, operation.release, nowMs)) contents.releases += 1;
    return undefined;
  },
  reset: (contents, nowMs) => {
    resetPermits(contents.table, nowMs);
    contents.releases += 1;
  },
  renew: ({ table }, nowMs) => {
    const row: PermitRow = table.row() ?? { tatMs: 0, lastMs: 0, offsetMs: 0 };
    table.putRow({ ...row, lastMs: nowMs });
  },
  lastMs: ({ table }) => table.row()?.lastMs ?? 0,
  aheadUntilMs: ({ table }) => table.row()?.tatMs ?? 0,
  meansForMs: ({ table }) => meaningfulForMs(table.state()),
};
