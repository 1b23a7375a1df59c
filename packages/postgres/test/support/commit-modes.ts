import type { Admin } from "./admin.ts";

/**
 * How each commit that writes a row of a table waited for the disk, while this runs: `off` is not at all.
 * @param schema quoted
 * @param table default `"dt_ledger"`, which has the rows of groups
 */
export async function commitModes(
  admin: Admin,
  schema: string,
  act: () => Promise<unknown>,
  table: string = "dt_ledger",
): Promise<string[]> {
  await admin.run(`
    CREATE TABLE IF NOT EXISTS ${schema}.modes (mode text);
    TRUNCATE ${schema}.modes;
    CREATE OR REPLACE FUNCTION ${schema}.note_mode() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO ${schema}.modes VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
    DROP TRIGGER IF EXISTS note_mode ON ${schema}.${table};
    CREATE CONSTRAINT TRIGGER note_mode AFTER INSERT OR UPDATE ON ${schema}.${table}
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.note_mode()`);
  await act();
  const rows = await admin.rows(`SELECT mode FROM ${schema}.modes`);
  return rows.map(({ mode }) => String(mode));
}
