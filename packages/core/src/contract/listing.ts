import type { BucketRef } from "./bucket.ts";

/** One page of a store's groups (R26). */
export interface GroupPage {
  /** Names of groups. */
  readonly groups: readonly string[];
  /** What to ask for the next page with; absent from the last page. */
  readonly next?: string;
}

/** One page of a store's keys of permits (P14). */
export interface PermitPage {
  /** Names of keys. */
  readonly keys: readonly string[];
  /** What to ask for the next page with; absent from the last page. */
  readonly next?: string;
}

/** One page of a store's budgets (B12). */
export interface BudgetPage {
  /** Names of budgets. */
  readonly budgets: readonly string[];
  /** What to ask for the next page with; absent from the last page. */
  readonly next?: string;
}

/** One page of a store's buckets (K13). */
export interface BucketPage {
  /** The buckets: of which limit, and of which key. */
  readonly buckets: readonly BucketRef[];
  /** What to ask for the next page with; absent from the last page. */
  readonly next?: string;
}
