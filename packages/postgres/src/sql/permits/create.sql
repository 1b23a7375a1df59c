-- Keys that are new, and keys of which another program has emptied a table.

-- Locks a key, which it creates first if need be. Another one may create it, or forget it, at the same moment: then it
-- looks again, a few times and not for ever, since a statement goes on after its caller has given up. Cost: that of
-- dt_permit_lock, if the key is there.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_open(p_key text, p_wait_ms integer) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  s {schema}.dt_permit_state;
BEGIN
  FOR attempt IN 1 .. 5 LOOP
    s := {schema}.dt_permit_lock(p_key, p_wait_ms);
    IF s.key_id IS NOT NULL THEN
      RETURN s;
    END IF;
    PERFORM {schema}.dt_permit_create(p_key);
  END LOOP;
  RAISE EXCEPTION 'key % was created, and was gone again, five times', p_key USING ERRCODE = 'DT001';
END $$;

-- Creates a key unless another call just did. A name without a row in dt_permit_state (that table was emptied)
-- gets a new one, after the last permit that is still known; instants that were given back, and the queue, go. Then
-- forgets two keys of which nothing is to come, so that the dead never outnumber those in use. Cost: O(log n), and what
-- the keys forgotten had.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_create(p_key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  own_id bigint;
  last_tat_ms float8 := 0;
  abandoned bigint;
BEGIN
  INSERT INTO {schema}.dt_permit_key (name) VALUES (p_key) ON CONFLICT (name) DO NOTHING RETURNING id INTO own_id;
  IF own_id IS NOT NULL THEN
    -- Also a new id may have been another key's: when dt_permit_key was emptied, and ids began anew.
    PERFORM {schema}.dt_permit_forget(own_id);
  ELSE
    IF EXISTS (SELECT FROM {schema}.dt_permit_state WHERE key_id = (SELECT id FROM {schema}.dt_permit_key WHERE name = p_key)) THEN
      RETURN;
    END IF;
    -- One at a time; a call that waited looks again.
    SELECT id INTO own_id FROM {schema}.dt_permit_key WHERE name = p_key FOR UPDATE;
    IF own_id IS NULL OR EXISTS (SELECT FROM {schema}.dt_permit_state WHERE key_id = own_id) THEN
      RETURN;
    END IF;
    SELECT coalesce(max(p.tat_before_ms + p.granted * p.step_ms), 0) INTO last_tat_ms FROM {schema}.dt_permit p WHERE p.key_id = own_id;
    DELETE FROM {schema}.dt_permit_freed WHERE key_id = own_id;
    DELETE FROM {schema}.dt_permit_queue WHERE key_id = own_id;
  END IF;
  INSERT INTO {schema}.dt_permit_state (
    key_id, turn, writes, tat_ms, last_ms, offset_ms, swept_ms, freed_from_ms, place, queue_from, needed_ms, keep_until_ms
  ) VALUES (own_id, 0, 0, last_tat_ms, clock_ms, 0, 0, 0, 0, 0, 0, 0);
  -- Keys that a call is using at this moment are not abandoned: no waiting for them.
  FOR abandoned IN
    SELECT key_id FROM {schema}.dt_permit_state WHERE keep_until_ms < clock_ms AND key_id <> own_id
    ORDER BY keep_until_ms LIMIT 2 FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM {schema}.dt_permit_forget(abandoned);
    DELETE FROM {schema}.dt_permit_key WHERE id = abandoned;
  END LOOP;
END $$;

-- Deletes everything of a key but its name.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_forget(p_key_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_permit WHERE key_id = p_key_id;
  DELETE FROM {schema}.dt_permit_freed WHERE key_id = p_key_id;
  DELETE FROM {schema}.dt_permit_queue WHERE key_id = p_key_id;
  DELETE FROM {schema}.dt_permit_state WHERE key_id = p_key_id;
END $$;
