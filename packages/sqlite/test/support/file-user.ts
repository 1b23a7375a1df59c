import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { migrate } from "../../src/schema.ts";
import putMember from "../../src/sql/put-member.sql";
import updateHeartbeat from "../../src/sql/update-heartbeat.sql";
import { SqliteTable } from "../../src/sqlite-table.ts";
import { prepareStatements, type Statements } from "../../src/statements.ts";

/** Statements that a later version changed without a version of the schema, as they were before. */
const SELECT_GROUP_BEFORE = `SELECT
  group_id AS groupId, generation, pool_size AS poolSize, held, adopted, capacity, largest_pool_size AS largestPoolSize,
  interval_ms AS intervalMs, created_at_ms AS createdAtMs, learn_from_ms AS learnFromMs, learn_until_ms AS learnUntilMs, last_ms AS lastMs,
  offset_ms AS offsetMs, lapsed_ms AS lapsedMs, quiet_limit_ms AS quietLimitMs, longest_stale_ms AS longestStaleMs,
  clock_error_ms AS clockErrorMs, ahead_until_ms AS aheadUntilMs, repairs
FROM groups WHERE name = ?`;
const UPDATE_GROUP_BEFORE = `UPDATE groups SET
  generation = ?, pool_size = ?, held = ?, adopted = ?, capacity = ?, largest_pool_size = ?, interval_ms = ?,
  created_at_ms = ?, learn_from_ms = ?, learn_until_ms = ?, last_ms = ?, offset_ms = ?, lapsed_ms = ?, quiet_limit_ms = ?,
  longest_stale_ms = ?, clock_error_ms = ?, ahead_until_ms = ?, repairs = ?
WHERE group_id = ?`;
const PUT_MEMBER_BEFORE_R27 = putMember
  .replace("demand, activity", "demand")
  .replace("?, ?)", "?)")
  .replace(", activity = excluded.activity", "");
const UPDATE_HEARTBEAT_BEFORE_R27 = updateHeartbeat.replace(", activity = ?", "");
const PUT_MEMBER_BEFORE = PUT_MEMBER_BEFORE_R27.replace("joined, demand", "joined")
  .replace("?, ?)", "?)")
  .replace(",\n  demand = excluded.demand", "");
const UPDATE_HEARTBEAT_BEFORE = UPDATE_HEARTBEAT_BEFORE_R27.replace(", demand = ?", "");

/** The statements of members as they were before R27: they neither read nor write what a member does. */
function withoutActivity(database: DatabaseSync): Statements {
  const textBefore = (sql: string): string =>
    sql === putMember ? PUT_MEMBER_BEFORE_R27 : sql.replace(/, activity\b( = \?)?/, "");
  const prepare = (sql: string): StatementSync => database.prepare(textBefore(sql));
  const statements = prepareStatements({ prepare } as DatabaseSync);
  const { putMember: put, updateHeartbeat: beat } = statements;
  return {
    ...statements,
    putMember: { run: (...values: SQLInputValue[]) => put.run(...values.slice(0, -1)) } as unknown as StatementSync,
    updateHeartbeat: {
      run: (...values: SQLInputValue[]) => beat.run(...values.toSpliced(-3, 1)),
    } as unknown as StatementSync,
  };
}

/**
 * The statements of members as they were before R21: they neither read nor write what stands there of demand, and of
 * what a member does.
 */
function withoutDemand(database: DatabaseSync, statements: Statements): Statements {
  const known = (row: object | undefined): object | undefined => row && { ...row, demand: null, activity: null };
  const reading = (statement: StatementSync): StatementSync =>
    ({
      get: (...values: SQLInputValue[]) => known(statement.get(...values)),
      all: (...values: SQLInputValue[]) => statement.all(...values).map(known),
    }) as unknown as StatementSync;
  const { selectMember, selectHolder, selectMemberByRank, selectMembers, selectExpired, selectDemands } = statements;
  const reads = { selectMember, selectHolder, selectMemberByRank, selectMembers, selectExpired, selectDemands };
  const [put, beat] = [database.prepare(PUT_MEMBER_BEFORE), database.prepare(UPDATE_HEARTBEAT_BEFORE)];
  return {
    ...statements,
    ...Object.fromEntries(Object.entries(reads).map(([name, statement]) => [name, reading(statement)])),
    putMember: { run: (...values: SQLInputValue[]) => put.run(...values.slice(0, -2)) } as unknown as StatementSync,
    updateHeartbeat: {
      run: (...values: SQLInputValue[]) => beat.run(...values.toSpliced(-4, 2)),
    } as unknown as StatementSync,
  };
}

/** One process's connection to a file, for operations of the ledger at times that the test gives. */
export class FileUser {
  readonly #database: DatabaseSync;
  readonly #prepare: () => Statements;
  #statements: Statements | undefined;

  /** A process of this version: it brings the file up to date. */
  static now(path: string): FileUser {
    const database = new DatabaseSync(path);
    migrate(database, path);
    return new FileUser(database, () => prepareStatements(database));
  }

  /**
   * A process of the version before freed tokens were counted (R20). The statements that were others then are prepared
   * at once, on the file as it is.
   */
  static before(path: string): FileUser {
    const database = new DatabaseSync(path);
    const [select, update] = [database.prepare(SELECT_GROUP_BEFORE), database.prepare(UPDATE_GROUP_BEFORE)];
    // All but the two before the last, which are what this version writes beside the row.
    const run = (...values: SQLInputValue[]): unknown => update.run(...values.toSpliced(-3, 2));
    return new FileUser(database, () => ({
      ...withoutDemand(database, prepareStatements(database)),
      selectGroup: select,
      updateGroup: { run } as unknown as StatementSync,
    }));
  }

  /** A process of the version before members said what they do (R27), on the file as it is. */
  static beforeActivity(path: string): FileUser {
    const database = new DatabaseSync(path);
    const statements = withoutActivity(database);
    return new FileUser(database, () => statements);
  }

  private constructor(database: DatabaseSync, prepare: () => Statements) {
    // Thousands of operations, of which none must outlive the machine.
    database.exec("PRAGMA synchronous = OFF");
    this.#database = database;
    this.#prepare = prepare;
  }

  /** The group's table, for one operation. */
  table(group: string): SqliteTable {
    this.#statements ??= this.#prepare();
    return new SqliteTable(this.#statements, group);
  }

  close(): void {
    this.#database.close();
  }
}
