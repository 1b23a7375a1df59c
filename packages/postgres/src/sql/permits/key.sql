-- A key's row in dt_permit_state: its lock and clock, and what else is kept of the key. Stands for PermitTable of
-- @dt/core.

-- Locks a key until the end of the statement (P1) and gives its row; a row of nulls when there is no such key. Waits
-- p_wait_ms at most, so that a statement whose caller has given up does not stay in the queue. Cost: two index
-- look-ups.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_lock(p_key text, p_wait_ms integer) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
  s {schema}.dt_permit_state;
BEGIN
  SELECT * INTO s FROM {schema}.dt_permit_state WHERE key_id = (SELECT id FROM {schema}.dt_permit_key WHERE name = p_key)
    ORDER BY turn DESC LIMIT 1 FOR UPDATE;
  RETURN s;
END $$;

-- Refuses a row with a time beyond the year 30,000, or that is none: no store wrote it.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_check(s {schema}.dt_permit_state, p_key text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (
    abs(s.tat_ms) <= 1e15 AND abs(s.last_ms) <= 1e15 AND abs(s.offset_ms) <= 1e15 AND abs(s.swept_ms) <= 1e15
    AND abs(s.freed_from_ms) <= 1e15 AND abs(s.needed_ms) <= 1e15 AND abs(s.keep_until_ms) <= 1e15
    AND coalesce(abs(s.paused_until_ms), 0) <= 1e15 AND coalesce(abs(s.ahead_until_ms), 0) <= 1e15
    AND (s.stored_revision IS NULL OR coalesce(s.stored_every_ms > 0 AND s.stored_every_ms <= 1e12 AND s.stored_burst BETWEEN 1 AND 1e12, false))
  ) THEN
    RAISE EXCEPTION 'the row of key % in dt_permit_state|a time that is none (tat_ms %, last_ms %, offset_ms %)', p_key, s.tat_ms, s.last_ms, s.offset_ms
      USING ERRCODE = 'DT002';
  END IF;
END $$;

-- Advances the key's time to the server's (P2): it never goes back.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_advance(s {schema}.dt_permit_state) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
BEGIN
  IF clock_ms + s.offset_ms < s.last_ms THEN
    s.offset_ms := s.last_ms - clock_ms;
  END IF;
  -- The sum may be rounded to less.
  s.last_ms := greatest(s.last_ms, clock_ms + s.offset_ms);
  RETURN s;
END $$;

-- Writes the key's row; keeps the key for a minute longer than it is needed, which moves on once a minute at most.
-- Cost: one HOT update.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_put(s {schema}.dt_permit_state) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  s.needed_ms := greatest(s.needed_ms, s.tat_ms, s.paused_until_ms);
  IF s.terms IS NOT NULL OR s.stored_revision IS NOT NULL THEN
    -- They bind for ten seconds more (P10, P16).
    s.needed_ms := greatest(s.needed_ms, greatest(s.tat_ms, s.last_ms) + 10000);
  END IF;
  IF s.keep_until_ms < s.needed_ms - s.offset_ms THEN
    s.keep_until_ms := s.needed_ms - s.offset_ms + 60000;
  END IF;
  UPDATE {schema}.dt_permit_state SET
    turn = (s.writes + 1) / 256, writes = s.writes + 1, tat_ms = s.tat_ms, last_ms = s.last_ms, offset_ms = s.offset_ms, swept_ms = s.swept_ms,
    freed_from_ms = s.freed_from_ms, place = s.place, queue_from = s.queue_from, needed_ms = s.needed_ms, keep_until_ms = s.keep_until_ms,
    terms = s.terms, former_terms = s.former_terms, paused_until_ms = s.paused_until_ms,
    stored_revision = s.stored_revision, stored_every_ms = s.stored_every_ms, stored_burst = s.stored_burst, ahead_until_ms = s.ahead_until_ms
  WHERE key_id = s.key_id AND turn = s.turn;
END $$;

-- No instant lies before: now, or the end of a pause (P15).
CREATE OR REPLACE FUNCTION {schema}.dt_permit_from_ms(s {schema}.dt_permit_state) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN greatest(s.last_ms, s.paused_until_ms);
END $$;

-- The earliest instant given back from p_from_ms on that is large enough, taken out; nulls when there is none. The
-- caller advances freed_from_ms.
-- Cost: O(log n), and those before it that are past or too small.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_take_freed(s {schema}.dt_permit_state, p_from_ms float8, p_width_ms float8, OUT at_ms float8, OUT width_ms float8) LANGUAGE plpgsql AS $$
DECLARE
  found_place bigint;
BEGIN
  DELETE FROM {schema}.dt_permit_freed f WHERE f.key_id = s.key_id AND f.at_ms >= s.freed_from_ms AND f.at_ms < p_from_ms;
  SELECT f.at_ms, f.place, f.width_ms INTO at_ms, found_place, width_ms FROM {schema}.dt_permit_freed f
    WHERE f.key_id = s.key_id AND f.at_ms >= p_from_ms AND f.width_ms >= p_width_ms ORDER BY f.at_ms, f.place LIMIT 1;
  DELETE FROM {schema}.dt_permit_freed f WHERE f.key_id = s.key_id AND f.at_ms = dt_permit_take_freed.at_ms AND f.place = found_place;
END $$;

-- Keeps an instant that was given back. Cost: O(log n).
CREATE OR REPLACE FUNCTION {schema}.dt_permit_add_freed(s {schema}.dt_permit_state, p_at_ms float8, p_width_ms float8)
RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
BEGIN
  s.place := s.place + 1;
  s.needed_ms := greatest(s.needed_ms, p_at_ms);
  INSERT INTO {schema}.dt_permit_freed (key_id, at_ms, place, width_ms) VALUES (s.key_id, p_at_ms, s.place, p_width_ms);
  RETURN s;
END $$;

-- How many are in the queue before an id (all, if it is not in the queue itself), and the id's place or null; forgets
-- those before it whose time is over. Cost: O(log n), and those before it.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_ahead(s {schema}.dt_permit_state, p_id text, OUT ahead bigint, OUT own_place bigint) LANGUAGE plpgsql AS $$
BEGIN
  SELECT l.place INTO own_place FROM {schema}.dt_permit_queue l WHERE l.key_id = s.key_id AND l.id = p_id;
  DELETE FROM {schema}.dt_permit_queue l WHERE l.key_id = s.key_id AND l.place >= s.queue_from
    AND l.place < coalesce(own_place, s.place + 1) AND l.until_ms <= s.last_ms;
  SELECT count(*) INTO ahead FROM {schema}.dt_permit_queue l WHERE l.key_id = s.key_id AND l.place >= s.queue_from
    AND l.place < coalesce(own_place, s.place + 1);
END $$;

-- Takes an id out of the queue. Cost: O(log n).
CREATE OR REPLACE FUNCTION {schema}.dt_permit_leave_queue(s {schema}.dt_permit_state, p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_permit_queue WHERE key_id = s.key_id AND id = p_id;
END $$;
