-- writeLimit: compares and swaps the record of a limit (L1).
-- Input  kind, name and key of the limit; the revision that the record takes the place of, 0 for none, null for
--        whatever is there; the new record's revision, values, end and history; longest wait for the record's lock in
--        milliseconds
-- Output whether it was written
-- Cost   one look-up by key, and one write
CREATE OR REPLACE FUNCTION {schema}.dt_limit_write(
  p_kind text, p_name text, p_key text, p_from bigint, p_revision bigint, p_values text, p_until_ms float8, p_history text, p_wait_ms integer
) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan TO off SET jit TO off AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
BEGIN
  PERFORM {schema}.dt_durability(true);
  IF p_from > 0 THEN
    UPDATE {schema}.dt_limit SET revision = p_revision, values = p_values, until_ms = p_until_ms, history = p_history
    WHERE kind = p_kind AND name = p_name AND key = p_key AND revision = p_from;
  ELSE
    INSERT INTO {schema}.dt_limit AS l VALUES (p_kind, p_name, p_key, p_revision, p_values, p_until_ms, p_history)
    ON CONFLICT (kind, name, key) DO UPDATE
      SET revision = excluded.revision, values = excluded.values, until_ms = excluded.until_ms, history = excluded.history
      WHERE p_from IS NULL;
  END IF;
  RETURN FOUND;
END $$;
