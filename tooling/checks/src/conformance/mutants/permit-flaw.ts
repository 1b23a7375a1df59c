import type { PermitRelease, PermitRequest, PermitSnapshot, Reservation } from "@dt/core";
import type { PlainPermitTable } from "./suite-internals.ts";
import type { Unchecked } from "./without-checks.ts";

/** One operation as the permit ledger gets it. */
export interface PermitOperationAtServer<Request> {
  readonly table: PlainPermitTable;
  readonly request: Request;
  readonly nowMs: number;
}

/** What is wrong with the permits of a store. Everything that is not overridden is as it should be. */
export interface PermitFlaw {
  /** Under which name a key is kept. */
  readonly key?: (key: string) => string;
  readonly table?: new () => PlainPermitTable;
  /** The time that an operation sees; `client` numbers the stores that were made. */
  readonly clock?: (nowMs: number, client: number) => number;
  /** `proceed` does it as it should be done, or with another request. */
  readonly reserve?: (
    operation: PermitOperationAtServer<PermitRequest>,
    proceed: (request?: PermitRequest) => Reservation,
  ) => Reservation;
  readonly release?: (
    operation: PermitOperationAtServer<PermitRelease>,
    proceed: (release?: PermitRelease) => boolean,
  ) => boolean;
  readonly reset?: (
    operation: { readonly table: PlainPermitTable; readonly nowMs: number },
    proceed: () => void,
  ) => void;
  readonly inspect?: (
    operation: { readonly table: PlainPermitTable; readonly nowMs: number },
    proceed: () => PermitSnapshot | undefined,
  ) => PermitSnapshot | undefined;
  /** What becomes of a key whose data is damaged: it is served as if it were new, or a reset does not mend it. */
  readonly damaged?: "served" | "kept";
  /** Reads, lets other operations happen, and then writes. */
  readonly torn?: boolean;
  /** Leaves out checks of what callers hand in. */
  readonly unchecked?: Unchecked;
}
