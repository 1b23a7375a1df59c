export type { BucketLimit, BucketRef } from "./contract/bucket.ts";
export type { BucketSnapshot } from "./contract/bucket-snapshot.ts";
export type {
  BudgetLedger,
  BudgetLimit,
  Settlement,
  SpendAnswer,
  SpendRequest,
  SpendReservation,
  StatedRest,
} from "./contract/budget-ledger.ts";
export type { BudgetLimitSnapshot, BudgetSnapshot } from "./contract/budget-snapshot.ts";
export type {
  Activity,
  CoordinationStore,
  Farewell,
  MemberRef,
  MemberView,
  RefusedView,
  Registration,
  Report,
  StoreCapabilities,
  Use,
  View,
} from "./contract/coordination-store.ts";
export type { Demand, DemandView, SlotAsk, SlotDemand, SlotHint, SlotOffer, SlotView } from "./contract/demand.ts";
export type { GroupSnapshot, MemberSnapshot, RepairOptions, RepairReport } from "./contract/inspect-and-repair.ts";
export type {
  BucketAnswer,
  BucketHits,
  BucketHold,
  BucketRequest,
  BucketTake,
  KeyedLedger,
} from "./contract/keyed-ledger.ts";
export type {
  LimitChange,
  LimitHistoryEntry,
  LimitKind,
  LimitLedger,
  LimitRecord,
  LimitTarget,
  LimitValues,
  StoredCopy,
} from "./contract/limit-ledger.ts";
export type { BucketPage, BudgetPage, GroupPage, PermitPage } from "./contract/listing.ts";
export type { PermitLedger, PermitLimit, PermitRelease, PermitRequest, Reservation } from "./contract/permit-ledger.ts";
export type { PermitSnapshot } from "./contract/permit-snapshot.ts";
export { DtError, type DtErrorCode, type DtErrorDetails, type Effect, isDtError } from "./errors/dt-error.ts";
export type { BatchOptions } from "./internal/batches.ts";
export type { DrainOptions } from "./internal/drain.ts";
export type { Duration } from "./internal/duration.ts";
export type { Listener } from "./internal/events.ts";
export type { PauseEnd } from "./internal/pause.ts";
export type { Rate } from "./internal/rate.ts";
export type { CallCounts, CallResult, DecidedCall } from "./internal/tally.ts";
export type { AcquireOptions } from "./limiter/acquire-options.ts";
export type { ImmediateLimiter, Limiter } from "./limiter/limiter.ts";
export type { LimiterKind, LimiterStatus } from "./limiter/limiter-status.ts";
export type { Run, RunOptions, WhenLimited } from "./limiter/run.ts";
export type { Slot } from "./limiter/slot.ts";
export type { Promised, Wrap, WrapOptions, Wrapped } from "./limiter/wrap.ts";
export { MemoryStore } from "./memory/memory-store.ts";
export { createGroupedPacer, GroupedPacer } from "./pacer/grouped-pacer.ts";
export type { GroupedPacerOptions, GroupedPermit, Site } from "./pacer/grouped-pacer-options.ts";
export { createPacer, Pacer } from "./pacer/pacer.ts";
export type { GroupedPacerEvent, GroupedPacerEvents, PacerEvent, PacerEvents } from "./pacer/pacer-events.ts";
export type { PacerOptions, PacerUpdate } from "./pacer/pacer-options.ts";
export type { GroupedPacerStatus, PacerStatus } from "./pacer/pacer-status.ts";
export type { Permit } from "./pacer/permit.ts";
export { type Runtime, randomId, type Timer } from "./runtime/runtime.ts";
export { systemRuntime } from "./runtime/system-runtime.ts";
export type { SemaphoreEvent, SemaphoreEvents } from "./semaphore/events.ts";
export type { SemaphoreOptions, SemaphoreUpdate } from "./semaphore/options.ts";
export { createSemaphore, Semaphore } from "./semaphore/semaphore.ts";
export type { SemaphoreStatus } from "./semaphore/status.ts";
export type { Release } from "./shares/allotment.ts";
export type { StoreEvents } from "./store/operation-times.ts";
export type { LimiterName } from "./stored/limiter-name.ts";
export { getLimit, type LimitStore, type SetLimitOptions, setLimit } from "./stored/set-limit.ts";
export type { ThrottleEvent, ThrottleEvents } from "./throttle/events.ts";
export type { Grant } from "./throttle/grants.ts";
export type {
  ModeOption,
  ReplacedLimit,
  Shares,
  StoreLostOption,
  ThrottleOptions,
  ThrottleUpdate,
} from "./throttle/options.ts";
export type { StartOptions } from "./throttle/start-options.ts";
export type { BlockedBy, BlockedReason, ThrottleStatus } from "./throttle/status.ts";
export { createThrottle, Throttle } from "./throttle/throttle.ts";
