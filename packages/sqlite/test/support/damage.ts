import { DatabaseSync } from "node:sqlite";
import type { StoreDamage } from "@dt/conformance";

/**
 * What somebody else may do to a store's file. The row of a group that has members cannot be deleted: a trigger refuses
 * it.
 */
export function sqliteDamage(path: () => string): StoreDamage {
  const using = <T>(act: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(path(), { timeout: 5_000 });
    try {
      return act(database);
    } finally {
      database.close();
    }
  };
  const run = async (sql: string, ...values: string[]): Promise<void> => {
    using((database) => database.prepare(sql).run(...values));
  };
  const groupId = "(SELECT group_id FROM groups WHERE name = ?)";
  return {
    spoilMember: (group, { incarnation }) =>
      run(`UPDATE members SET held = -5 WHERE group_id = ${groupId} AND incarnation = ?`, group, incarnation),
    spoilGroup: (group) => run("UPDATE groups SET last_ms = 9e999 WHERE name = ?", group),
    spoilSums: (group) => run("UPDATE groups SET held = 0 WHERE name = ?", group),
    makeNewer: async () => {
      const { user_version: before } = using((database) => database.prepare("PRAGMA user_version").get()) as {
        user_version: number;
      };
      await run(`PRAGMA user_version = ${before + 1}`);
      return () => run(`PRAGMA user_version = ${before}`);
    },
    spoilBudget: (budget) => run("UPDATE budgets SET row = replace(row, 'f1', 'hello') WHERE name = ?", budget),
    spoilBucket: ({ name, key }) =>
      run("UPDATE buckets SET row = replace(row, 'f1', 'hello') WHERE name = ? AND key = ?", name, key),
    spoilLimit: ({ kind, name, key = "" }) =>
      run("UPDATE limits SET revision = -1 WHERE kind = ? AND name = ? AND key = ?", kind, name, key),
    spoilPermits: (key) => run("UPDATE permit_keys SET tat_ms = 1e300 WHERE name = ?", key),
  };
}
