export { DtError, type DtErrorCode, type DtErrorDetails, isDtError, type Outcome } from "./errors/dt-error.ts";
export type { Listener } from "./kit/events.ts";
export type { WithoutTimeout } from "./kit/waiting-line.ts";
export type { Wrap, WrapOptions, Wrapped } from "./kit/wrap.ts";
export type { Duration } from "./options/duration.ts";
export {
  createGroupedPacer,
  GroupedPacer,
  type GroupedPacerOptions,
  type GroupedPermit,
  type Site,
} from "./permits/grouped-pacer.ts";
export type { OnLimit, Pace, PaceOptions } from "./permits/pace.ts";
export { createPacer, Pacer, type Permit, type PermitOptions } from "./permits/pacer.ts";
export type { PacerOptions } from "./permits/pacer-options.ts";
export type { PermitLedger, PermitRelease, PermitRequest, Reservation } from "./permits/permit-ledger.ts";
export { type Runtime, randomId, type Timer } from "./runtime/runtime.ts";
export { systemRuntime } from "./runtime/system-runtime.ts";
export type { Release } from "./shares/budget.ts";
export type {
  CoordinationStore,
  Farewell,
  GroupSnapshot,
  MemberRef,
  MemberSnapshot,
  MemberView,
  RefusedView,
  Registration,
  RepairOptions,
  RepairReport,
  Report,
  StoreCapabilities,
  View,
} from "./store/coordination-store.ts";
export { MemoryStore } from "./store/memory-store.ts";
export type { BatchOptions } from "./throttle/batches.ts";
export type { ThrottleEvent, ThrottleEvents } from "./throttle/events.ts";
export type { Grant } from "./throttle/grants.ts";
export type {
  AcquireOptions,
  DrainOptions,
  ModeOption,
  StoreLostOption,
  ThrottleOptions,
  ThrottleUpdate,
} from "./throttle/options.ts";
export type { ThrottleStatus } from "./throttle/status.ts";
export { createThrottle, Throttle } from "./throttle/throttle.ts";
