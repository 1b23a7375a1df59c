/** For authors of stores: the ledger as pure functions, and the checks and helpers that adapters share. */

export { budgetAheadUntilMs } from "../budgets/ahead-until.ts";
export type { BudgetRow, BudgetTable, LeaseRow, LimitRow } from "../budgets/budget-table.ts";
export { spend } from "../budgets/budgets.ts";
export { checkSpendRequest } from "../budgets/check-spend-request.ts";
export { damagedBudget } from "../budgets/damaged-budget.ts";
export { inspectBudget } from "../budgets/inspect-budget.ts";
export { budgetMeansForMs } from "../budgets/meaningful-for.ts";
export { type BudgetState, MemoryBudgetTable } from "../budgets/memory-budget-table.ts";
export { discreet, type Wording } from "../errors/discreet.ts";
export {
  checkDriverTimeout,
  checkDuration,
  checkInteger,
  checkKeys,
  checkName,
  checkRuntime,
  invalidOption,
} from "../internal/check.ts";
export { type DeadlineOptions, withDeadline } from "../internal/deadline.ts";
export { bucketName, readBucketName } from "../keyed/bucket-name.ts";
export type {
  BucketRow,
  BucketSlotRow,
  BucketTable,
  HoldRow,
  LimitNumbers,
  StoredLimitRow,
} from "../keyed/bucket-table.ts";
export { advanceBucket, newBucket, standingOf, takeUnits } from "../keyed/buckets.ts";
export { checkBucketRequests } from "../keyed/check-bucket-request.ts";
export { damagedBucket } from "../keyed/damaged-bucket.ts";
export { inspectBucket } from "../keyed/inspect-bucket.ts";
export { limitText } from "../keyed/limit-in-force.ts";
export { bucketAheadUntilMs, bucketMeansForMs } from "../keyed/meaningful-for.ts";
export { MemoryBucketTable } from "../keyed/memory-bucket-table.ts";
export { damagedLimit } from "../limits/damaged-limit.ts";
export { checkLimitHead, encodeLimitRow, limitPartsOf } from "../limits/limit-codec.ts";
export type { LimitRecordHead, LimitRecordRow, UncheckedLimitRecord } from "../limits/limit-row.ts";
export { limitStateOf } from "../limits/limit-state.ts";
export { isCopy } from "../limits/limit-values.ts";
export { storedValue } from "../limits/stored-value.ts";
export { checkPermitRequest } from "../permits/check-permit-request.ts";
export { damagedPermits } from "../permits/damaged-permits.ts";
export { inspectPermits } from "../permits/inspect-permits.ts";
export { meaningfulForMs } from "../permits/meaningful-for.ts";
export { lastInstantOf, latestInstant, MemoryPermitTable, type PermitState } from "../permits/memory-permit-table.ts";
export type {
  FreedInstant,
  InspectablePermitTable,
  PermitCopy,
  PermitCounts,
  PermitEntry,
  PermitRow,
  PermitTable,
  ResettablePermitTable,
} from "../permits/permit-table.ts";
export {
  instantOf,
  releasePermits,
  reservePermits,
  resetPermits,
  termsMismatch,
} from "../permits/permits.ts";
export { TERMS_HOLD_MS } from "../permits/terms-hold.ts";
export { declaredBy } from "./aggregates.ts";
export { decodeBucketRow, encodeBucketRow } from "./bucket-codec.ts";
export { decodeBudgetRow, decodeLease, encodeBudgetRow, encodeLease } from "./budget-codec.ts";
export { checkFarewell, checkMember, checkRegistration, checkReport } from "./check-request.ts";
export { PAGE_SIZE, writeCursor } from "./cursor.ts";
export { DamagedData, newerData, unreleasedData } from "./damage.ts";
export { type DemandRaise, demandRaise, demandView, isHungry } from "./demand.ts";
export { type Entitlement, entitlementOf } from "./entitlement.ts";
export { firstSafeEpoch } from "./first-safe-epoch.ts";
export { advanceClock, credible, groupClockError, isLearning, livenessTime } from "./group-clock.ts";
export { inspect } from "./inspect.ts";
export { deregister, intervalMismatch, register, sync } from "./ledger.ts";
export { isNews } from "./news.ts";
export { isPauseNews, pausedForMs } from "./pause.ts";
export { healing, type RepairTable, repair, type Stored } from "./repair.ts";
export {
  checkList,
  checkRow,
  decodeRow,
  encodeRow,
  GROUP_FORMAT,
  MEMBER_FORMAT,
  type Refusal,
  type RowField,
  type RowFormat,
  type RowKind,
  readTag,
  SLOT_FORMAT,
  type StoredRow,
  tagOf,
} from "./rows.ts";
export { answerSlots, leaveQueue, SLOT_INTERVAL_MS, serveSlots } from "./slot-answer.ts";
export { readSlotHint, writeSlotHint } from "./slot-hint-text.ts";
export { type Lack, lackOf } from "./slot-queue.ts";
export { SLOT_LOOK, type SlotRow, type SlotTable, type SlotTier } from "./slot-table.ts";
export {
  countOf,
  type Extremes,
  extremesOf,
  type GroupCopy,
  type GroupRow,
  isCountDue,
  type LedgerTable,
  type MemberCount,
  type MemberRow,
  PRUNE_LIMIT,
  smallestMaxOf,
} from "./table.ts";
export { viewOf } from "./view.ts";
export { placeOnGrid, type WantCount, type Wants, wantOnGrid, wantsOf } from "./wants.ts";
export { type Division, divide, type Fair, fairOf, needOf } from "./water-level.ts";
