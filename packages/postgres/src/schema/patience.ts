import { literal } from "../statement/literal.ts";

/**
 * Limits that servers, databases and roles may set for ordinary statements. `transaction_timeout` is there from
 * PostgreSQL 17 on.
 */
const LIMITS = ["lock_timeout", "statement_timeout", "transaction_timeout"];

/** For the rest of the transaction, these limits are this many milliseconds. */
export function patienceStatement(ms: number): string {
  const names = LIMITS.map((name) => literal(name)).join(", ");
  return `SELECT set_config(name, ${literal(Math.min(ms, 2 ** 31 - 1))}, true) FROM pg_settings WHERE name IN (${names});`;
}
