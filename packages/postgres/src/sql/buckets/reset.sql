-- reset: forgets a bucket whole (K12), however damaged it is. Nothing happens when there is no such bucket.
-- Input  name, key; longest wait for the bucket's lock in milliseconds
-- Cost   one look-up by key, and one deletion
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_reset(p_name text, p_key text, p_wait_ms integer) RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET jit TO off AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
BEGIN
  DELETE FROM {schema}.dt_bucket WHERE name = p_name AND key = p_key;
  PERFORM {schema}.dt_durability(true);
END $$;
