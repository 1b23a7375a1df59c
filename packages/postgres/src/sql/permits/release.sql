-- release: gives instants of a reservation back, all but the first p_keep (P7); nothing happens when it is not known.
-- Input  key; id of the request; how many of its instants stay reserved; longest wait for the key's lock in
--        milliseconds; channel to notify when an instant became free, or null
-- Cost   O(log n) for each instant given back; O(log n) for all of a reservation that none came after. Does not wait
--        for the disk: a release that is lost in a crash wastes instants, and is lost together with whatever was built
--        on it
CREATE OR REPLACE FUNCTION {schema}.dt_release(p_key text, p_id text, p_keep integer, p_wait_ms integer, p_channel text)
RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_permit_state := {schema}.dt_permit_lock(p_key, p_wait_ms);
  entry {schema}.dt_permit;
  offset_before_ms float8 := s.offset_ms;
  at_ms float8;
BEGIN
  IF s.key_id IS NULL THEN
    RETURN;
  END IF;
  PERFORM {schema}.dt_permit_check(s, p_key);
  s := {schema}.dt_permit_advance(s);
  SELECT * INTO entry FROM {schema}.dt_permit WHERE key_id = s.key_id AND id = p_id;
  PERFORM {schema}.dt_permit_leave_queue(s, p_id);
  IF entry.granted > p_keep THEN
    IF entry.tat_before_ms + entry.granted * entry.step_ms = s.tat_ms THEN
      s.tat_ms := entry.tat_before_ms + p_keep * entry.step_ms;
    ELSE
      FOR i IN p_keep .. entry.granted - 1 LOOP
        at_ms := greatest(entry.earliest_ms, entry.first_ms + i * entry.step_ms);
        IF at_ms > s.last_ms THEN
          s := {schema}.dt_permit_add_freed(s, at_ms, entry.step_ms);
        END IF;
      END LOOP;
    END IF;
    UPDATE {schema}.dt_permit SET granted = p_keep WHERE key_id = s.key_id AND id = p_id;
    PERFORM {schema}.dt_hint(p_channel);
  END IF;
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
END $$;
