-- reset: forgets a key but for its time and what comes within a minute (P12); all of it when it is damaged. Nothing
-- happens when there is no such key.
-- Input  key; longest wait for the key's lock in milliseconds; channel on which those who wait are told, or null
-- Cost   what the key has
CREATE OR REPLACE FUNCTION {schema}.dt_permit_reset(p_key text, p_wait_ms integer, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s {schema}.dt_permit_state := {schema}.dt_permit_lock(p_key, p_wait_ms);
  left_over record;
BEGIN
  IF s.key_id IS NULL THEN
    RETURN;
  END IF;
  BEGIN
    PERFORM {schema}.dt_permit_check(s, p_key);
  EXCEPTION WHEN SQLSTATE 'DT002' THEN
    PERFORM {schema}.dt_permit_forget(s.key_id);
    PERFORM {schema}.dt_hint(p_channel);
    PERFORM {schema}.dt_durability(true);
    RETURN;
  END;
  s := {schema}.dt_permit_advance(s);
  DELETE FROM {schema}.dt_permit WHERE key_id = s.key_id AND (
    forget_at_ms <= s.last_ms OR granted > 0 AND greatest(earliest_ms, first_ms + (granted - 1) * step_ms) > s.last_ms + 60000
  );
  DELETE FROM {schema}.dt_permit_freed WHERE key_id = s.key_id;
  DELETE FROM {schema}.dt_permit_queue WHERE key_id = s.key_id;
  SELECT max(greatest(earliest_ms, first_ms + (granted - 1) * step_ms)) AS at_ms, min(step_ms) AS width_ms INTO left_over
    FROM {schema}.dt_permit WHERE key_id = s.key_id AND granted > 0;
  -- A distance of years is what the reset is for.
  s.tat_ms := least(s.tat_ms, greatest(
    s.last_ms, left_over.at_ms + CASE WHEN left_over.width_ms <= 60000 THEN left_over.width_ms ELSE 0 END
  ));
  s.swept_ms := s.last_ms;
  s.queue_from := s.place + 1;
  s.terms := NULL;
  s.former_terms := NULL;
  s.paused_until_ms := NULL;
  s.stored_revision := NULL;
  s.stored_every_ms := NULL;
  s.stored_burst := NULL;
  s.ahead_until_ms := NULL;
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_hint(p_channel);
  PERFORM {schema}.dt_durability(true);
END $$;
