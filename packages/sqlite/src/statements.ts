import type { DatabaseSync, StatementSync } from "node:sqlite";
import { PERMIT_SQL } from "./permits/permit-sql.ts";
import countMembers from "./sql/count-members.sql";
import deleteLevels from "./sql/delete-levels.sql";
import deleteMember from "./sql/delete-member.sql";
import insertGroup from "./sql/insert-group.sql";
import putLevel from "./sql/put-level.sql";
import putMember from "./sql/put-member.sql";
import readClock from "./sql/read-clock.sql";
import selectExpired from "./sql/select-expired.sql";
import selectExtremes from "./sql/select-extremes.sql";
import selectGroup from "./sql/select-group.sql";
import selectHolder from "./sql/select-holder.sql";
import selectLevel from "./sql/select-level.sql";
import selectMember from "./sql/select-member.sql";
import selectMemberByRank from "./sql/select-member-by-rank.sql";
import selectMembers from "./sql/select-members.sql";
import selectSmallestMax from "./sql/select-smallest-max.sql";
import updateGroup from "./sql/update-group.sql";
import updateHeartbeat from "./sql/update-heartbeat.sql";

const SQL = {
  begin: "BEGIN",
  beginImmediate: "BEGIN IMMEDIATE",
  commit: "COMMIT",
  rollback: "ROLLBACK",
  countMembers,
  deleteLevels,
  deleteMember,
  insertGroup,
  putLevel,
  putMember,
  readClock,
  selectExpired,
  selectExtremes,
  selectGroup,
  selectLevel,
  selectMember,
  selectHolder,
  selectMemberByRank,
  selectMembers,
  selectSmallestMax,
  updateGroup,
  updateHeartbeat,
  ...PERMIT_SQL,
};

/** Every statement that the store uses, prepared once for each connection. */
export type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>;

export function prepareStatements(database: DatabaseSync): Statements {
  const entries = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
  return Object.fromEntries(entries) as Statements;
}
