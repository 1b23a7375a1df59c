import type { LimitTarget } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { Unchecked } from "./without-checks.ts";

/** A write of a record as the server gets it. */
export interface LimitWrite {
  /** The revision that it takes the place of; null for whatever is there. */
  readonly from: number | null;
  readonly row: LimitRecordRow;
  readonly before: LimitRecordRow | undefined;
}

/** What is wrong with the stored limits of a store. Everything that is not overridden is as it should be. */
export interface LimitFlaw {
  /** Under which name a record is kept. */
  readonly key?: (target: LimitTarget) => string;
  /** The record after a write; undefined deletes it, and false refuses the write. `proceed` does it as it should be. */
  readonly write?: (write: LimitWrite, proceed: () => LimitRecordRow | false) => LimitRecordRow | undefined | false;
  /** What is read of a record. */
  readonly read?: (row: LimitRecordRow | undefined) => LimitRecordRow | undefined;
  /** The record as a request with `stored` finds it; `find` gives that of another kind and the same name. */
  readonly seen?: (
    row: LimitRecordRow | undefined,
    find: (kind: LimitTarget["kind"]) => LimitRecordRow | undefined,
  ) => LimitRecordRow | undefined;
  /** A reset of a group forgets its record. */
  readonly goesWithGroup?: boolean;
  /** Leaves out checks of what callers hand in. */
  readonly unchecked?: Unchecked;
}
