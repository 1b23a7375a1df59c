-- From version 1 to 2 as it was: permits.
-- The tables of permits, in {schema}. Times are milliseconds on the key's time (dt_clock_ms() plus offset_ms), except
-- keep_until_ms, which is on the server's clock. Searches name their index by the order they ask for, and skip what was
-- deleted (swept_ms, freed_from_ms, line_from), since rows that no vacuum has removed yet would be walked over
-- otherwise, as long as an old transaction is open: see tables.sql.

-- Names of keys; a row never changes.
CREATE TABLE {schema}.dt_permit_key (
  name text COLLATE "C" PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE
);

-- One row for each key: its lock, its clock and its timestamp.
CREATE TABLE {schema}.dt_permit_state (
  key_id bigint NOT NULL,
  -- Moves on with every 256th write, as in dt_ledger.
  turn bigint NOT NULL,
  writes bigint NOT NULL,
  -- Theoretical arrival time: when the next permit is due if nothing is idle.
  tat_ms float8 NOT NULL,
  last_ms float8 NOT NULL,
  offset_ms float8 NOT NULL,
  -- No reservation is to be forgotten before this.
  swept_ms float8 NOT NULL,
  -- No instant given back is before this.
  freed_from_ms float8 NOT NULL,
  -- The last place given, in line or among instants given back; and the first that may still be in line.
  place bigint NOT NULL,
  line_from bigint NOT NULL,
  -- The key's time after which nothing of it matters.
  needed_ms float8 NOT NULL,
  -- The key may be forgotten after this time.
  keep_until_ms float8 NOT NULL,
  PRIMARY KEY (key_id, turn)
) WITH (fillfactor = 25);

CREATE INDEX dt_permit_state_keep ON {schema}.dt_permit_state (keep_until_ms);

-- Reservations that are still known.
CREATE TABLE {schema}.dt_permit (
  key_id bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  granted integer NOT NULL,
  first_ms float8 NOT NULL,
  step_ms float8 NOT NULL,
  earliest_ms float8 NOT NULL,
  -- Null for an instant that had been given back.
  tat_before_ms float8,
  forget_at_ms float8 NOT NULL,
  PRIMARY KEY (key_id, id)
);

CREATE INDEX dt_permit_forget ON {schema}.dt_permit (key_id, forget_at_ms);

-- Instants that were given back.
CREATE TABLE {schema}.dt_permit_freed (
  key_id bigint NOT NULL,
  at_ms float8 NOT NULL,
  place bigint NOT NULL,
  -- The distance that it keeps to the next.
  width_ms float8 NOT NULL,
  PRIMARY KEY (key_id, at_ms, place)
);

-- Requests that were refused and wait for their turn.
CREATE TABLE {schema}.dt_permit_line (
  key_id bigint NOT NULL,
  place bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  until_ms float8 NOT NULL,
  PRIMARY KEY (key_id, place),
  UNIQUE (key_id, id)
);

-- The answer to a request.
CREATE TYPE {schema}.dt_reservation AS (
  granted integer,
  first_ms float8,
  step_ms float8,
  earliest_ms float8,
  retry_after_ms float8,
  reserved_ahead float8,
  store_time_ms float8
);

-- What is asked of a key.
CREATE TYPE {schema}.dt_permit_request AS (
  id text,
  count integer,
  cost float8,
  every_ms float8,
  burst float8,
  max_reserved float8,
  keep_ms float8,
  queue_ms float8
);
-- A key's row in dt_permit_state: its lock and clock, and what else is kept of the key. Stands for PermitTable of
-- @dt/core.

-- Locks a key until the end of the statement (P1) and gives its row; a row of nulls when there is no such key. Waits
-- p_wait_ms at most, so that a statement whose caller has given up does not stay in the queue. Cost: two index
-- look-ups.
CREATE FUNCTION {schema}.dt_permit_lock(p_key text, p_wait_ms integer) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
  s {schema}.dt_permit_state;
BEGIN
  SELECT * INTO s FROM {schema}.dt_permit_state WHERE key_id = (SELECT id FROM {schema}.dt_permit_key WHERE name = p_key)
    ORDER BY turn DESC LIMIT 1 FOR UPDATE;
  RETURN s;
END $$;

-- Creates a key unless somebody else just did, and forgets two of which nothing is to come, so that the dead never
-- outnumber those in use.
-- Cost: O(log n), and what the keys forgotten had.
CREATE FUNCTION {schema}.dt_permit_create(p_key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  new_id bigint;
  abandoned bigint;
BEGIN
  INSERT INTO {schema}.dt_permit_key (name) VALUES (p_key) ON CONFLICT (name) DO NOTHING RETURNING id INTO new_id;
  IF new_id IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO {schema}.dt_permit_state (
    key_id, turn, writes, tat_ms, last_ms, offset_ms, swept_ms, freed_from_ms, place, line_from, needed_ms, keep_until_ms
  ) VALUES (new_id, 0, 0, 0, clock_ms, 0, 0, 0, 0, 0, 0, 0);
  -- Keys that somebody is using at this moment are not abandoned: no waiting for them.
  FOR abandoned IN
    SELECT key_id FROM {schema}.dt_permit_state WHERE keep_until_ms < clock_ms AND key_id <> new_id
    ORDER BY keep_until_ms LIMIT 2 FOR UPDATE SKIP LOCKED
  LOOP
    DELETE FROM {schema}.dt_permit WHERE key_id = abandoned;
    DELETE FROM {schema}.dt_permit_freed WHERE key_id = abandoned;
    DELETE FROM {schema}.dt_permit_line WHERE key_id = abandoned;
    DELETE FROM {schema}.dt_permit_state WHERE key_id = abandoned;
    DELETE FROM {schema}.dt_permit_key WHERE id = abandoned;
  END LOOP;
END $$;

-- Advances the key's time to the server's (P2): it never goes back.
CREATE FUNCTION {schema}.dt_permit_advance(s {schema}.dt_permit_state) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
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
CREATE FUNCTION {schema}.dt_permit_put(s {schema}.dt_permit_state) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  s.needed_ms := greatest(s.needed_ms, s.tat_ms);
  IF s.keep_until_ms < s.needed_ms - s.offset_ms THEN
    s.keep_until_ms := s.needed_ms - s.offset_ms + 60000;
  END IF;
  UPDATE {schema}.dt_permit_state SET
    turn = (s.writes + 1) / 256, writes = s.writes + 1, tat_ms = s.tat_ms, last_ms = s.last_ms, offset_ms = s.offset_ms, swept_ms = s.swept_ms,
    freed_from_ms = s.freed_from_ms, place = s.place, line_from = s.line_from, needed_ms = s.needed_ms, keep_until_ms = s.keep_until_ms
  WHERE key_id = s.key_id AND turn = s.turn;
END $$;

-- The earliest instant given back that is still to come and large enough, taken out; nulls when there is none. The
-- caller advances freed_from_ms.
-- Cost: O(log n), and those before it that are past or too small.
CREATE FUNCTION {schema}.dt_permit_take_freed(s {schema}.dt_permit_state, p_width_ms float8, OUT at_ms float8, OUT width_ms float8) LANGUAGE plpgsql AS $$
DECLARE
  found_place bigint;
BEGIN
  DELETE FROM {schema}.dt_permit_freed f WHERE f.key_id = s.key_id AND f.at_ms >= s.freed_from_ms AND f.at_ms < s.last_ms;
  SELECT f.at_ms, f.place, f.width_ms INTO at_ms, found_place, width_ms FROM {schema}.dt_permit_freed f
    WHERE f.key_id = s.key_id AND f.at_ms >= s.last_ms AND f.width_ms >= p_width_ms ORDER BY f.at_ms, f.place LIMIT 1;
  DELETE FROM {schema}.dt_permit_freed f WHERE f.key_id = s.key_id AND f.at_ms = dt_permit_take_freed.at_ms AND f.place = found_place;
END $$;

-- Keeps an instant that was given back. Cost: O(log n).
CREATE FUNCTION {schema}.dt_permit_add_freed(s {schema}.dt_permit_state, p_at_ms float8, p_width_ms float8)
RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
BEGIN
  s.place := s.place + 1;
  s.needed_ms := greatest(s.needed_ms, p_at_ms);
  INSERT INTO {schema}.dt_permit_freed (key_id, at_ms, place, width_ms) VALUES (s.key_id, p_at_ms, s.place, p_width_ms);
  RETURN s;
END $$;

-- How many are in line before an id (all, if it is not in line itself), and the id's place or null; forgets those
-- before it whose time is over.
-- Cost: O(log n), and those before it.
CREATE FUNCTION {schema}.dt_permit_ahead(s {schema}.dt_permit_state, p_id text, OUT ahead bigint, OUT own_place bigint) LANGUAGE plpgsql AS $$
BEGIN
  SELECT l.place INTO own_place FROM {schema}.dt_permit_line l WHERE l.key_id = s.key_id AND l.id = p_id;
  DELETE FROM {schema}.dt_permit_line l WHERE l.key_id = s.key_id AND l.place >= s.line_from
    AND l.place < coalesce(own_place, s.place + 1) AND l.until_ms <= s.last_ms;
  SELECT count(*) INTO ahead FROM {schema}.dt_permit_line l WHERE l.key_id = s.key_id AND l.place >= s.line_from
    AND l.place < coalesce(own_place, s.place + 1);
END $$;

-- Takes an id out of the line. Cost: O(log n).
CREATE FUNCTION {schema}.dt_permit_leave_line(s {schema}.dt_permit_state, p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_permit_line WHERE key_id = s.key_id AND id = p_id;
END $$;
-- The permit arithmetic, ported from @dt/core (permits/permits.ts): the same rules P1..P9 of permit-ledger.ts, the same
-- arithmetic on doubles, in the same order.

-- How far a sum of as many times as the burst may be off, in milliseconds: doubles as large as today's time are 2^-12
-- apart. Never more than 0.1.
CREATE FUNCTION {schema}.dt_permit_rounding_ms(r {schema}.dt_permit_request) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN least(r.burst / 4096, 0.1::float8);
END $$;

-- How much earlier than the theoretical arrival time a permit may come: the unused burst. Never positive.
CREATE FUNCTION {schema}.dt_permit_shift(r {schema}.dt_permit_request) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (least(greatest(r.cost, 1), r.burst) - r.burst) * r.every_ms;
END $$;

-- Permits reserved ahead, by the seed's formula.
CREATE FUNCTION {schema}.dt_permit_reserved_ahead(r {schema}.dt_permit_request, p_tat_ms float8, p_now_ms float8)
RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN floor(greatest(0, p_tat_ms - r.burst * r.every_ms - p_now_ms) / r.every_ms);
END $$;

-- How many permits in a row, up to r.count, the bound allows from this theoretical arrival time on (P4).
CREATE FUNCTION {schema}.dt_permitted(r {schema}.dt_permit_request, p_tat_ms float8, p_now_ms float8)
RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  granted integer := 0;
  t float8 := p_tat_ms;
  shift float8 := {schema}.dt_permit_shift(r);
  rounding_ms float8 := {schema}.dt_permit_rounding_ms(r);
BEGIN
  WHILE granted < r.count LOOP
    -- As dt_permit_reserved_ahead does, without the call.
    EXIT WHEN t + shift > p_now_ms + rounding_ms AND floor(greatest(0, t - r.burst * r.every_ms - p_now_ms) / r.every_ms) >= r.max_reserved;
    t := greatest(t, p_now_ms) + r.cost * r.every_ms;
    granted := granted + 1;
  END LOOP;
  RETURN granted;
END $$;

-- Records a reservation, which waits for the disk, and answers with it. p_tat_before_ms is null for an instant that had
-- been given back.
CREATE FUNCTION {schema}.dt_permit_grant(
  s {schema}.dt_permit_state, r {schema}.dt_permit_request, p_granted integer, p_first_ms float8, p_tat_before_ms float8
) RETURNS {schema}.dt_reservation LANGUAGE plpgsql AS $$
DECLARE
  step_ms float8 := r.cost * r.every_ms;
  forget_at_ms float8 := greatest(s.last_ms, p_first_ms + (p_granted - 1) * step_ms) + r.keep_ms;
BEGIN
  INSERT INTO {schema}.dt_permit (key_id, id, granted, first_ms, step_ms, earliest_ms, tat_before_ms, forget_at_ms)
    VALUES (s.key_id, r.id, p_granted, p_first_ms, step_ms, s.last_ms, p_tat_before_ms, forget_at_ms);
  s.needed_ms := greatest(s.needed_ms, forget_at_ms);
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_durability(true);
  RETURN (
    p_granted, p_first_ms, step_ms, s.last_ms, 0, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, s.last_ms), s.last_ms
  )::{schema}.dt_reservation;
END $$;

-- reserve: permits for a request, or when to try again.
-- Input  key; id, count, cost, every, burst, max reserved, keep, queue of the request; longest wait for the key's lock;
--        times in milliseconds
-- Output a reservation
-- Cost   O(log n): four look-ups by key, one insert, one HOT update; those in line before it; arithmetic for each
--        permit of a block
CREATE FUNCTION {schema}.dt_reserve(
  p_key text, p_id text, p_count integer, p_cost float8, p_every_ms float8, p_burst float8, p_max_reserved float8, p_keep_ms float8,
  p_queue_ms float8, p_wait_ms integer
) RETURNS {schema}.dt_reservation LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_permit_state := {schema}.dt_permit_lock(p_key, p_wait_ms);
  r {schema}.dt_permit_request := (p_id, p_count, p_cost, p_every_ms, p_burst, p_max_reserved, p_keep_ms, p_queue_ms);
  known {schema}.dt_permit;
  line record;
  freed record;
  now_ms float8;
  offset_before_ms float8;
  step_ms float8 := p_cost * p_every_ms;
  judged_ms float8;
  permitted integer;
  tat_before_ms float8;
  retry_after_ms float8;
BEGIN
  WHILE s.key_id IS NULL LOOP
    -- Another one may create it, or forget it, at the same moment: then look again.
    PERFORM {schema}.dt_permit_create(p_key);
    s := {schema}.dt_permit_lock(p_key, p_wait_ms);
  END LOOP;
  offset_before_ms := s.offset_ms;
  s := {schema}.dt_permit_advance(s);
  now_ms := s.last_ms;
  DELETE FROM {schema}.dt_permit WHERE key_id = s.key_id AND forget_at_ms >= s.swept_ms AND forget_at_ms <= now_ms;
  s.swept_ms := now_ms;
  SELECT * INTO known FROM {schema}.dt_permit WHERE key_id = s.key_id AND id = p_id;
  IF known.id IS NOT NULL THEN
    PERFORM {schema}.dt_permit_put(s);
    PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
    RETURN (
      known.granted, known.first_ms, known.step_ms, known.earliest_ms, 0, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, now_ms), now_ms
    )::{schema}.dt_reservation;
  END IF;
  line := {schema}.dt_permit_ahead(s, p_id);
  IF line.ahead = 0 THEN
    s.line_from := coalesce(line.own_place, s.place + 1);
  END IF;
  IF line.ahead = 0 AND s.tat_ms + {schema}.dt_permit_shift(r) > now_ms + {schema}.dt_permit_rounding_ms(r) AND p_max_reserved > 0 THEN
    freed := {schema}.dt_permit_take_freed(s, step_ms);
    s.freed_from_ms := now_ms;
    IF freed.at_ms IS NOT NULL THEN
      IF freed.width_ms > step_ms THEN
        s := {schema}.dt_permit_add_freed(s, freed.at_ms + step_ms, freed.width_ms - step_ms);
      END IF;
      PERFORM {schema}.dt_permit_leave_line(s, p_id);
      RETURN {schema}.dt_permit_grant(s, r, 1, freed.at_ms, NULL);
    END IF;
  END IF;
  -- Those in line come first: the request is judged as if each of them had taken a permit (P8).
  judged_ms := s.tat_ms;
  IF line.ahead > 0 THEN
    judged_ms := greatest(s.tat_ms, now_ms) + line.ahead * step_ms;
  END IF;
  permitted := {schema}.dt_permitted(r, judged_ms, now_ms);
  IF permitted = 0 THEN
    -- When it would be permitted, if nobody else came (P4).
    IF p_max_reserved = 0 THEN
      retry_after_ms := judged_ms + {schema}.dt_permit_shift(r) - now_ms;
    ELSE
      retry_after_ms := judged_ms - (p_burst + p_max_reserved) * p_every_ms + 0.001::float8 - now_ms;
    END IF;
    IF p_queue_ms > 0 THEN
      s := {schema}.dt_permit_line_up(s, p_id, line.own_place, now_ms + retry_after_ms + p_queue_ms);
    END IF;
    PERFORM {schema}.dt_permit_put(s);
    PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
    RETURN (0, 0, 0, 0, retry_after_ms, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, now_ms), now_ms)::{schema}.dt_reservation;
  END IF;
  IF line.own_place IS NOT NULL THEN
    PERFORM {schema}.dt_permit_leave_line(s, p_id);
  END IF;
  tat_before_ms := greatest(s.tat_ms, now_ms);
  s.tat_ms := tat_before_ms + permitted * step_ms;
  RETURN {schema}.dt_permit_grant(s, r, permitted, tat_before_ms + {schema}.dt_permit_shift(r), tat_before_ms);
END $$;

-- Puts an id in line until p_until_ms, at its end unless it has a place. Cost: O(log n).
CREATE FUNCTION {schema}.dt_permit_line_up(s {schema}.dt_permit_state, p_id text, p_place bigint, p_until_ms float8)
RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
BEGIN
  s.needed_ms := greatest(s.needed_ms, p_until_ms);
  IF p_place IS NULL THEN
    s.place := s.place + 1;
    INSERT INTO {schema}.dt_permit_line (key_id, place, id, until_ms) VALUES (s.key_id, s.place, p_id, p_until_ms);
  ELSE
    UPDATE {schema}.dt_permit_line SET until_ms = p_until_ms WHERE key_id = s.key_id AND place = p_place;
  END IF;
  RETURN s;
END $$;
-- release: gives instants of a reservation back, all but the first p_keep (P7); nothing happens when it is not known.
-- Input  key; id of the request; how many of its instants stay reserved; longest wait for the key's lock in
--        milliseconds; channel to notify when an instant became free, or null
-- Cost   O(log n) for each instant given back; O(log n) for all of a reservation that nobody came after. Does not wait
--        for the disk: a release that is lost in a crash wastes instants, and is lost together with whatever was built
--        on it
CREATE FUNCTION {schema}.dt_release(p_key text, p_id text, p_keep integer, p_wait_ms integer, p_channel text)
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
  s := {schema}.dt_permit_advance(s);
  SELECT * INTO entry FROM {schema}.dt_permit WHERE key_id = s.key_id AND id = p_id;
  PERFORM {schema}.dt_permit_leave_line(s, p_id);
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
    IF p_channel IS NOT NULL THEN
      PERFORM pg_notify(p_channel, '');
    END IF;
  END IF;
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
END $$;
