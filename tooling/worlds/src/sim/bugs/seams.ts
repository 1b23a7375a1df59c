/** The modules of core whose exports a bug may take the place of, by file below `packages/core/src`. */
export interface Seams {
  readonly "consensus/exchange.ts": typeof import("../../../../../packages/core/src/consensus/exchange.ts");
  readonly "consensus/holding-state.ts": typeof import("../../../../../packages/core/src/consensus/holding-state.ts");
  readonly "consensus/holding.ts": typeof import("../../../../../packages/core/src/consensus/holding.ts");
  readonly "consensus/membership.ts": typeof import("../../../../../packages/core/src/consensus/membership.ts");
  readonly "consensus/store-clock.ts": typeof import("../../../../../packages/core/src/consensus/store-clock.ts");
  readonly "consensus/validity.ts": typeof import("../../../../../packages/core/src/consensus/validity.ts");
  readonly "demand/demand-tracker.ts": typeof import("../../../../../packages/core/src/demand/demand-tracker.ts");
  readonly "demand/want-estimate.ts": typeof import("../../../../../packages/core/src/demand/want-estimate.ts");
  readonly "kit/fifo.ts": typeof import("../../../../../packages/core/src/kit/fifo.ts");
  readonly "kit/waiting-line.ts": typeof import("../../../../../packages/core/src/kit/waiting-line.ts");
  readonly "ledger/aggregates.ts": typeof import("../../../../../packages/core/src/ledger/aggregates.ts");
  readonly "ledger/demand.ts": typeof import("../../../../../packages/core/src/ledger/demand.ts");
  readonly "ledger/entitlement.ts": typeof import("../../../../../packages/core/src/ledger/entitlement.ts");
  readonly "ledger/first-safe-epoch.ts": typeof import("../../../../../packages/core/src/ledger/first-safe-epoch.ts");
  readonly "ledger/freed.ts": typeof import("../../../../../packages/core/src/ledger/freed.ts");
  readonly "ledger/group-clock.ts": typeof import("../../../../../packages/core/src/ledger/group-clock.ts");
  readonly "ledger/ledger.ts": typeof import("../../../../../packages/core/src/ledger/ledger.ts");
  readonly "ledger/wants.ts": typeof import("../../../../../packages/core/src/ledger/wants.ts");
  readonly "ledger/water-level.ts": typeof import("../../../../../packages/core/src/ledger/water-level.ts");
  readonly "pacer/back-off.ts": typeof import("../../../../../packages/core/src/pacer/back-off.ts");
  readonly "pacer/held-instants.ts": typeof import("../../../../../packages/core/src/pacer/held-instants.ts");
  readonly "pacer/permit-client.ts": typeof import("../../../../../packages/core/src/pacer/permit-client.ts");
  readonly "pacer/permit-lane.ts": typeof import("../../../../../packages/core/src/pacer/permit-lane.ts");
  readonly "pacer/permit-lanes.ts": typeof import("../../../../../packages/core/src/pacer/permit-lanes.ts");
  readonly "pacer/permit-line.ts": typeof import("../../../../../packages/core/src/pacer/permit-line.ts");
  readonly "pacer/site-parts.ts": typeof import("../../../../../packages/core/src/pacer/site-parts.ts");
  readonly "pacer/stealing.ts": typeof import("../../../../../packages/core/src/pacer/stealing.ts");
  readonly "permits/memory-permit-table.ts": typeof import("../../../../../packages/core/src/permits/memory-permit-table.ts");
  readonly "permits/permits.ts": typeof import("../../../../../packages/core/src/permits/permits.ts");
  readonly "shares/allotment.ts": typeof import("../../../../../packages/core/src/shares/allotment.ts");
  readonly "throttle/allowance.ts": typeof import("../../../../../packages/core/src/throttle/allowance.ts");
  readonly "throttle/begins-epoch.ts": typeof import("../../../../../packages/core/src/throttle/begins-epoch.ts");
  readonly "throttle/grants.ts": typeof import("../../../../../packages/core/src/throttle/grants.ts");
  readonly "throttle/lifecycle.ts": typeof import("../../../../../packages/core/src/throttle/lifecycle.ts");
}

/** What takes the place of an export: made from the real module, to which it is as a wrapper or a subclass. */
export type Replacements<File extends keyof Seams> = {
  readonly [Name in keyof Seams[File]]?: (real: Seams[File]) => Seams[File][Name];
};

/** What a bug replaces, by module. */
export type Breaks = { readonly [File in keyof Seams]?: Replacements<File> };
