import type { LimitTarget } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { Admin } from "./admin.ts";

/** Writes a limit record behind the store's back, whatever was there. @param schema quoted */
export async function writeLimitRecord(
  admin: Admin,
  schema: string,
  { kind, name, key = "" }: LimitTarget,
  { revision, values, untilMs, history }: LimitRecordRow,
): Promise<void> {
  await admin.rows(
    `INSERT INTO ${schema}.dt_limit VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (kind, name, key)
      DO UPDATE SET revision = excluded.revision, values = excluded.values, until_ms = excluded.until_ms`,
    [kind, name, key, revision, values, untilMs, history],
  );
}
