/**
 * For authors of stores on databases that can compare and swap, and have no clock to ask: a group's time as a hybrid
 * logical clock, heartbeats that do not touch the ledger, and the loop that changes it; permits as one value for each
 * key, with a clock of their own. `@dt/etcd` and `@dt/dynamodb` are made of these parts.
 */

export type { StoredRow } from "@dt/core/ledger";
export { DamagedData } from "@dt/core/ledger";
export { auditLedger } from "./audit.ts";
export { type BucketContents, type BucketDocument, decodeBucket, encodeBucket } from "./buckets/bucket-document.ts";
export { BucketSession } from "./buckets/bucket-session.ts";
export { type BudgetContents, type BudgetDocument, decodeBudget, encodeBudget } from "./budgets/budget-document.ts";
export { BudgetSession } from "./budgets/budget-session.ts";
export { CallCombiner } from "./call-combiner.ts";
export {
  answerUnrecorded,
  applyCall,
  hasStored,
  type LedgerCall,
  type LedgerRequest,
  observeRequest,
  PRUNE,
} from "./calls.ts";
export { type CellDatabase, type CellGroup, type CellName, cellBackend } from "./cell-backend.ts";
export { type DocumentContext, DocumentTable } from "./document-table.ts";
export { decodeHead, encodeHead, type Head, keeperLimitMs, lagLimitMs, sameLedger } from "./head.ts";
export { HybridClock } from "./hybrid-clock.ts";
export {
  type Applied,
  type Batch,
  LedgerWriter,
  type LedgerWriterOptions,
  type Outcome,
  type Written,
} from "./ledger-writer.ts";
export { limitIn, readLimitCell, recordTimeMs } from "./limits/limit-cell.ts";
export { isLimitCurrent, limitHead, type ReadLimit } from "./limits/limit-head.ts";
export { MemberMemory } from "./member-memory.ts";
export { decodePermits, encodePermits, type PermitContents, type PermitDocument } from "./permits/permit-document.ts";
export { PermitSession } from "./permits/permit-session.ts";
export { type Remains, rebornGroup } from "./reborn-group.ts";
export {
  checkTag,
  decodeGroup,
  decodeMember,
  encodeGroup,
  encodeMember,
  parseStored,
  TAG,
} from "./row-codec.ts";
export { type Session, Sessions } from "./sessions.ts";
export { SilenceLog } from "./silence.ts";
export { type HeadStore, type StoredHead, TimeKeeper } from "./time-keeper.ts";
export type { DocumentCell, Replaced, StoredDocument } from "./timed-document/document-cell.ts";
export { DocumentClock, LONGEST_LEAD_MS, type RecordedTime } from "./timed-document/document-clock.ts";
export type { DocumentKind, TimedDocument } from "./timed-document/document-kind.ts";
export { DocumentSession, type DocumentSessionOptions } from "./timed-document/document-session.ts";
export type { DocumentUse } from "./timed-document/document-use.ts";
export { bringsNews, groupEssence, memberEssence, unrecordedView, withHeard } from "./unrecorded.ts";
