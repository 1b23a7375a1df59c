import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BUCKET_SQL } from "./buckets/bucket-sql.ts";
import { BUDGET_SQL } from "./budgets/budget-sql.ts";
import { LIMIT_SQL } from "./limits/limit-sql.ts";
import { PERMIT_SQL } from "./permits/permit-sql.ts";
import countMembers from "./sql/count-members.sql";
import deleteLevels from "./sql/delete-levels.sql";
import deleteMember from "./sql/delete-member.sql";
import deleteMembers from "./sql/delete-members.sql";
import insertGroup from "./sql/insert-group.sql";
import listGroups from "./sql/list-groups.sql";
import putAsk from "./sql/put-ask.sql";
import putLevel from "./sql/put-level.sql";
import putMember from "./sql/put-member.sql";
import putOffer from "./sql/put-offer.sql";
import putSlot from "./sql/put-slot.sql";
import readClock from "./sql/read-clock.sql";
import selectExpired from "./sql/select-expired.sql";
import selectExtremes from "./sql/select-extremes.sql";
import selectGroup from "./sql/select-group.sql";
import selectHolder from "./sql/select-holder.sql";
import selectLevel from "./sql/select-level.sql";
import selectMember from "./sql/select-member.sql";
import selectMemberByRank from "./sql/select-member-by-rank.sql";
import selectMembers from "./sql/select-members.sql";
import selectMostHeld from "./sql/select-most-held.sql";
import selectQueue from "./sql/select-queue.sql";
import selectSlot from "./sql/select-slot.sql";
import selectSlotHints from "./sql/select-slot-hints.sql";
import selectSlots from "./sql/select-slots.sql";
import selectSmallestMax from "./sql/select-smallest-max.sql";
import selectStored from "./sql/select-stored.sql";
import selectWants from "./sql/select-wants.sql";
import updateGroup from "./sql/update-group.sql";
import updateHeartbeat from "./sql/update-heartbeat.sql";

const SQL = {
  begin: "BEGIN",
  beginImmediate: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  // A newer process may have changed it since this one opened the file.
  readVersion: "PRAGMA user_version",
  rollback: "ROLLBACK",
  countMembers,
  deleteLevels,
  deleteMember,
  deleteMembers,
  insertGroup,
  listGroups,
  putAsk,
  putLevel,
  putMember,
  putOffer,
  putSlot,
  readClock,
  selectExpired,
  selectExtremes,
  selectGroup,
  selectGroupExactly: selectGroup,
  selectLevel,
  selectMember,
  selectHolder,
  selectMemberByRank,
  selectMembers,
  selectMembersExactly: selectMembers,
  selectMostHeld,
  selectQueue,
  selectSlot,
  selectSlotHints,
  selectSlotsExactly: selectSlots,
  selectSmallestMax,
  selectStored,
  selectWants,
  updateGroup,
  updateHeartbeat,
  ...PERMIT_SQL,
  ...BUDGET_SQL,
  ...BUCKET_SQL,
  ...LIMIT_SQL,
};

/** Every statement that the store uses, prepared once for each connection. */
export type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>;

export function prepareStatements(database: DatabaseSync): Statements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  const statements = Object.fromEntries(entries) as Statements;
  // A repair reads whatever is there, integers beyond 2^53 as well.
  const { selectGroupExactly, selectMembersExactly, selectSlotsExactly } = statements;
  for (const exactly of [selectGroupExactly, selectMembersExactly, selectSlotsExactly]) exactly.setReadBigInts(true);
  return statements;
}
