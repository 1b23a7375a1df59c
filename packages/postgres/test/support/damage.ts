import type { StoreDamage } from "@dt/conformance";
import type { Admin } from "./admin.ts";

/**
 * What somebody else may do to a store's tables. They take no value that cannot be, and a newer version says itself
 * which processes it works with, so there is nothing unreadable in a group's row and no version that running processes
 * would have to refuse.
 * @param schema quoted
 */
export function postgresDamage(admin: () => Admin, schema: string): StoreDamage {
  const groupId = `(SELECT id FROM ${schema}.dt_group WHERE name = $1)`;
  const run = async (sql: string, ...values: string[]): Promise<void> => {
    await admin().rows(sql, values);
  };
  return {
    spoilMember: (group, { incarnation }) =>
      run(`DELETE FROM ${schema}.dt_member WHERE group_id = ${groupId} AND incarnation = $2`, group, incarnation),
    deleteGroup: (group) => run(`DELETE FROM ${schema}.dt_ledger WHERE group_id = ${groupId}`, group),
    spoilSums: (group) => run(`UPDATE ${schema}.dt_ledger SET held = 0 WHERE group_id = ${groupId}`, group),
    spoilPermits: (key) =>
      run(
        `UPDATE ${schema}.dt_permit_state SET tat_ms = 'NaN' WHERE key_id = (SELECT id FROM ${schema}.dt_permit_key WHERE name = $1)`,
        key,
      ),
    spoilBudget: (budget) =>
      run(
        `UPDATE ${schema}.dt_budget_state SET last_ms = 'NaN' WHERE budget_id = (SELECT id FROM ${schema}.dt_budget WHERE name = $1)`,
        budget,
      ),
    spoilBucket: ({ name, key }) =>
      run(`UPDATE ${schema}.dt_bucket SET used = 'NaN' WHERE name = $1 AND key = $2`, name, key),
    spoilLimit: ({ kind, name, key = "" }) =>
      run(`UPDATE ${schema}.dt_limit SET values = '{}' WHERE kind = $1 AND name = $2 AND key = $3`, kind, name, key),
  };
}
