-- The permit arithmetic, ported from @dt/core (permits/permits.ts): the same rules P1..P9 and P15 of permit-ledger.ts,
-- the same arithmetic on doubles, in the same order.

-- How far a sum of as many times as the burst may be off, in milliseconds: doubles as large as today's time are 2^-12
-- apart. Never more than 0.1.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_rounding_ms(r {schema}.dt_permit_request) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN least(r.burst / 4096, 0.1::float8);
END $$;

-- How much earlier than the theoretical arrival time a permit may come: the unused burst. Never positive.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_shift(r {schema}.dt_permit_request) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (least(greatest(r.cost, 1), r.burst) - r.burst) * r.every_ms;
END $$;

-- Permits reserved ahead, by the formula of the distributed throttle's design.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_reserved_ahead(r {schema}.dt_permit_request, p_tat_ms float8, p_now_ms float8)
RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN floor(greatest(0, p_tat_ms - r.burst * r.every_ms - p_now_ms) / r.every_ms);
END $$;

-- How many permits in a row, up to r.count, the bound allows from this theoretical arrival time on (P4).
CREATE OR REPLACE FUNCTION {schema}.dt_permitted(r {schema}.dt_permit_request, p_tat_ms float8, p_now_ms float8)
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

-- Records a request's pause with the key (P15), and leaves no burst of what gathered before its end.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_keep_pause(s {schema}.dt_permit_state, r {schema}.dt_permit_request, p_pause_ms float8)
RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
BEGIN
  IF p_pause_ms > 0 THEN
    s.paused_until_ms := greatest(s.paused_until_ms, s.last_ms + p_pause_ms);
  END IF;
  -- Null leaves it as it is.
  s.tat_ms := greatest(s.tat_ms, s.paused_until_ms + (r.burst - 1) * r.every_ms);
  RETURN s;
END $$;

-- What is left of the key's pause, or null.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_paused_for_ms(s {schema}.dt_permit_state) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE WHEN s.paused_until_ms > s.last_ms THEN s.paused_until_ms - s.last_ms END;
END $$;

-- Records a reservation, which waits for the disk, and answers with it. p_tat_before_ms is null for an instant that had
-- been given back.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_grant(
  s {schema}.dt_permit_state, r {schema}.dt_permit_request, p_granted integer, p_first_ms float8, p_tat_before_ms float8
) RETURNS {schema}.dt_reservation LANGUAGE plpgsql AS $$
DECLARE
  step_ms float8 := r.cost * r.every_ms;
  earliest_ms float8 := {schema}.dt_permit_from_ms(s);
  last_ms float8 := greatest(earliest_ms, p_first_ms + (p_granted - 1) * step_ms);
  forget_at_ms float8 := last_ms + r.keep_ms;
BEGIN
  INSERT INTO {schema}.dt_permit (key_id, id, granted, first_ms, step_ms, earliest_ms, tat_before_ms, forget_at_ms)
    VALUES (s.key_id, r.id, p_granted, p_first_ms, step_ms, earliest_ms, p_tat_before_ms, forget_at_ms);
  s.needed_ms := greatest(s.needed_ms, forget_at_ms);
  IF s.stored_revision IS NOT NULL AND last_ms > s.last_ms + {schema}.dt_permit_rounding_ms(r) THEN
    s.ahead_until_ms := greatest(s.ahead_until_ms, 0, last_ms + step_ms);
  END IF;
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_durability(true);
  RETURN (
    p_granted, p_first_ms, step_ms, earliest_ms, 0, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, s.last_ms), s.last_ms, NULL,
    {schema}.dt_permit_paused_for_ms(s), CASE WHEN s.stored_revision IS NOT NULL THEN r.every_ms END,
    CASE WHEN s.stored_revision IS NOT NULL THEN r.burst END
  )::{schema}.dt_reservation;
END $$;

-- reserve: permits for a request, or when to try again.
-- Input  key; id, count, cost, every, burst, max reserved, keep, queue of the request; longest wait for the key's lock;
--        the request's terms, and those that they take the place of, or null; the request's pause; whether its limit is
--        the stored one (P16); times in milliseconds
-- Output a reservation; only its other_terms when the key is used with others (P10), without any effect
-- Cost   O(log n): four look-ups by key, a fifth with stored, one insert, one HOT update; those in the queue before it;
--        arithmetic for each permit of a block
CREATE OR REPLACE FUNCTION {schema}.dt_reserve(
  p_key text, p_id text, p_count integer, p_cost float8, p_every_ms float8, p_burst float8, p_max_reserved float8, p_keep_ms float8,
  p_queue_ms float8, p_wait_ms integer, p_terms text, p_former_terms text,
  p_pause_ms float8, p_stored boolean
) RETURNS {schema}.dt_reservation LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_permit_state := {schema}.dt_permit_open(p_key, p_wait_ms);
  r {schema}.dt_permit_request := (p_id, p_count, p_cost, p_every_ms, p_burst, p_max_reserved, p_keep_ms, p_queue_ms);
  known {schema}.dt_permit;
  queue record;
  freed record;
  now_ms float8;
  used_ms float8;
  idle_ms float8;
  offset_before_ms float8;
  step_ms float8;
  judged_ms float8;
  permitted integer;
  tat_before_ms float8;
  retry_after_ms float8;
BEGIN
  PERFORM {schema}.dt_permit_check(s, p_key);
  offset_before_ms := s.offset_ms;
  used_ms := s.last_ms;
  s := {schema}.dt_permit_advance(s);
  now_ms := s.last_ms;
  idle_ms := now_ms - greatest(used_ms, s.tat_ms);
  DELETE FROM {schema}.dt_permit WHERE key_id = s.key_id AND forget_at_ms >= s.swept_ms AND forget_at_ms <= now_ms;
  s.swept_ms := now_ms;
  SELECT * INTO known FROM {schema}.dt_permit WHERE key_id = s.key_id AND id = p_id;
  IF known.id IS NOT NULL THEN
    r := {schema}.dt_permit_in_force(r, s, p_stored);
    s := {schema}.dt_permit_keep_pause(s, r, p_pause_ms);
    PERFORM {schema}.dt_permit_put(s);
    PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
    RETURN (
      known.granted, known.first_ms, known.step_ms, known.earliest_ms, 0, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, now_ms), now_ms, NULL,
      {schema}.dt_permit_paused_for_ms(s), CASE WHEN s.stored_revision IS NOT NULL THEN r.every_ms END,
      CASE WHEN s.stored_revision IS NOT NULL THEN r.burst END
    )::{schema}.dt_reservation;
  END IF;
  -- A process that still has the terms that were replaced is served, and changes nothing.
  IF p_terms IS NOT NULL AND NOT (
    p_terms IS DISTINCT FROM s.terms AND p_former_terms IS DISTINCT FROM s.terms AND p_terms IS NOT DISTINCT FROM s.former_terms
  ) THEN
    IF s.terms IS NOT NULL AND idle_ms <= 10000 AND p_terms <> s.terms AND p_former_terms IS DISTINCT FROM s.terms THEN
      PERFORM {schema}.dt_durability(false);
      RETURN (0, 0, 0, 0, 0, 0, now_ms, s.terms, NULL, NULL, NULL)::{schema}.dt_reservation;
    END IF;
    s.terms := p_terms;
    s.former_terms := p_former_terms;
  END IF;
  s := {schema}.dt_permit_keep_copy(s, r, p_key, p_stored, idle_ms);
  r := {schema}.dt_permit_in_force(r, s, p_stored);
  step_ms := r.cost * r.every_ms;
  s := {schema}.dt_permit_keep_pause(s, r, p_pause_ms);
  queue := {schema}.dt_permit_ahead(s, p_id);
  IF queue.ahead = 0 THEN
    s.queue_from := coalesce(queue.own_place, s.place + 1);
  END IF;
  IF queue.ahead = 0 AND s.tat_ms + {schema}.dt_permit_shift(r) > now_ms + {schema}.dt_permit_rounding_ms(r) AND r.max_reserved > 0 THEN
    freed := {schema}.dt_permit_take_freed(s, {schema}.dt_permit_from_ms(s), step_ms);
    s.freed_from_ms := {schema}.dt_permit_from_ms(s);
    IF freed.at_ms IS NOT NULL THEN
      IF freed.width_ms > step_ms THEN
        s := {schema}.dt_permit_add_freed(s, freed.at_ms + step_ms, freed.width_ms - step_ms);
      END IF;
      PERFORM {schema}.dt_permit_leave_queue(s, p_id);
      RETURN {schema}.dt_permit_grant(s, r, 1, freed.at_ms, NULL);
    END IF;
  END IF;
  -- Those in the queue come first: the request is judged as if each of them had taken a permit (P8).
  judged_ms := s.tat_ms;
  IF queue.ahead > 0 THEN
    judged_ms := greatest(s.tat_ms, now_ms) + queue.ahead * step_ms;
  END IF;
  permitted := {schema}.dt_permitted(r, judged_ms, now_ms);
  IF permitted = 0 THEN
    -- When it would be permitted, if no other request came (P4).
    IF r.max_reserved = 0 THEN
      retry_after_ms := judged_ms + {schema}.dt_permit_shift(r) - now_ms;
    ELSE
      retry_after_ms := judged_ms - (r.burst + r.max_reserved) * r.every_ms + 0.001::float8 - now_ms;
    END IF;
    IF p_queue_ms > 0 THEN
      s := {schema}.dt_permit_enqueue(s, p_id, queue.own_place, now_ms + retry_after_ms + p_queue_ms);
    END IF;
    PERFORM {schema}.dt_permit_put(s);
    PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
    RETURN (
      0, 0, 0, 0, retry_after_ms, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, now_ms), now_ms, NULL, {schema}.dt_permit_paused_for_ms(s),
      CASE WHEN s.stored_revision IS NOT NULL THEN r.every_ms END, CASE WHEN s.stored_revision IS NOT NULL THEN r.burst END
    )::{schema}.dt_reservation;
  END IF;
  IF queue.own_place IS NOT NULL THEN
    PERFORM {schema}.dt_permit_leave_queue(s, p_id);
  END IF;
  tat_before_ms := greatest(s.tat_ms, now_ms);
  s.tat_ms := tat_before_ms + permitted * step_ms;
  RETURN {schema}.dt_permit_grant(s, r, permitted, tat_before_ms + {schema}.dt_permit_shift(r), tat_before_ms);
END $$;

-- Puts an id in the queue until p_until_ms, at its end unless it has a place. Cost: O(log n).
CREATE OR REPLACE FUNCTION {schema}.dt_permit_enqueue(s {schema}.dt_permit_state, p_id text, p_place bigint, p_until_ms float8)
RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
BEGIN
  s.needed_ms := greatest(s.needed_ms, p_until_ms);
  IF p_place IS NULL THEN
    s.place := s.place + 1;
    INSERT INTO {schema}.dt_permit_queue (key_id, place, id, until_ms) VALUES (s.key_id, s.place, p_id, p_until_ms);
  ELSE
    UPDATE {schema}.dt_permit_queue SET until_ms = p_until_ms WHERE key_id = s.key_id AND place = p_place;
  END IF;
  RETURN s;
END $$;
