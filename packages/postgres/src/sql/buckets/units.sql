-- What a request does to a bucket. Port of parts of @dt/core's keyed/buckets.ts, in the same order on doubles.

-- The slots that are left, without those given back, the renewed ones for longer (K6).
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_keep_slots(s {schema}.dt_bucket, r {schema}.dt_bucket_request)
RETURNS {schema}.dt_bucket_slot[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF cardinality(r.release) > 0 THEN
    s.slots := ARRAY(SELECT x FROM unnest(s.slots) x WHERE x.id <> ALL (r.release));
  END IF;
  IF cardinality(r.renew) > 0 THEN
    s.slots := ARRAY(
      SELECT CASE WHEN x.id = ANY (r.renew) THEN (x.id, greatest(x.until_ms, s.last_ms + coalesce(r.renew_ms, 0)))::{schema}.dt_bucket_slot ELSE x END
      FROM unnest(s.slots) x
    );
  END IF;
  RETURN s.slots;
END $$;

-- The bucket with hits counted in a window that begins with the first (K8).
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_count_hits(s {schema}.dt_bucket, p_window_ms float8, p_by float8) RETURNS {schema}.dt_bucket LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF s.hits_until_ms <= s.last_ms THEN
    IF p_by <= 0 THEN
      RETURN s;
    END IF;
    s.hits := 0;
    s.hits_until_ms := s.last_ms + p_window_ms;
  END IF;
  s.hits := greatest(0, s.hits + p_by);
  RETURN s;
END $$;

-- The bucket with what a process says of its units (K5): what it neither spent nor keeps goes back.
-- p_own: the process's place among those that hold units.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_report(s {schema}.dt_bucket, r {schema}.dt_bucket_request, p_own integer)
RETURNS {schema}.dt_bucket LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  h {schema}.dt_bucket_hold := s.holds[p_own];
  left_over float8 := greatest(0, h.units - greatest(0, r.spent - h.spent));
  kept float8 := least(left_over, r.keep);
BEGIN
  s.used := greatest(0, s.used - (left_over - kept));
  s.holds[p_own] := (
    h.id, r.seq, greatest(r.spent, h.spent), kept,
    greatest(CASE WHEN kept > 0 THEN h.until_ms ELSE 0 END, s.last_ms + r.for_ms), 0, 0, 0, false
  )::{schema}.dt_bucket_hold;
  RETURN s;
END $$;

-- Since when a process waits with nothing in hand; null for one that does not.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_waits_since(h {schema}.dt_bucket_hold) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN h.units = 0 AND h.granted = 0 AND h.first_ms > 0 THEN h.first_ms END
$$;

-- The processes with one that waits, so that others let it pass until it should have asked again (K4).
-- p_own: its place among them, 0 where it has none.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_keep_place(
  s {schema}.dt_bucket, r {schema}.dt_bucket_request, p_own integer, p_wait_ms float8, p_since_ms float8
) RETURNS {schema}.dt_bucket_hold[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  h {schema}.dt_bucket_hold := (r.hold_id, r.seq, r.spent, 0, 0, 0, 0, p_wait_ms, false);
BEGIN
  IF p_own > 0 THEN
    h := s.holds[p_own];
  END IF;
  IF h.units = 0 THEN
    s.holds[CASE WHEN p_own > 0 THEN p_own ELSE cardinality(s.holds) + 1 END] := (
      h.id, h.seq, h.spent, 0, s.last_ms + p_wait_ms + 250, 0, coalesce(p_since_ms, greatest(1, s.last_ms)), h.wait_ms, h.busy
    )::{schema}.dt_bucket_hold;
  END IF;
  RETURN s.holds;
END $$;

-- Takes all of a cost and what comes with it, or nothing (K3, K4, K6).
-- p_own: the process's place among those that hold units, 0 where it has none.
-- p_since_ms: since when it waits, or null.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_take(
  INOUT s {schema}.dt_bucket, r {schema}.dt_bucket_request, p_own integer, p_since_ms float8,
  OUT granted float8, OUT first_ms float8, OUT wait_ms float8, OUT limited_by text
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  every_ms float8 := s.window_ms / s.max;
  due_in_ms float8 := (s.used + r.cost - s.burst) * every_ms;
  slot_ms float8 := 0;
  -- All that is in hand may be spent together.
  held float8 := 0;
  room float8;
  has_turn boolean := true;
  h {schema}.dt_bucket_hold;
BEGIN
  granted := 0;
  first_ms := 0;
  -- A unit that is due so soon is due now: sums of times are rounded.
  wait_ms := CASE WHEN due_in_ms < 0.0625 THEN 0 ELSE due_in_ms END;
  IF r.slot_id IS NOT NULL AND s.concurrent > 0 AND cardinality(s.slots) >= s.concurrent THEN
    SELECT CASE WHEN bool_or(x.id = r.slot_id) THEN 0 ELSE min(x.until_ms) - s.last_ms END INTO slot_ms FROM unnest(s.slots) x;
  END IF;
  FOR i IN 1 .. cardinality(s.holds) LOOP
    h := s.holds[i];
    IF r.hold_id IS NOT NULL THEN
      held := held + h.units;
    END IF;
    -- Another process that waits longer comes first.
    IF i <> p_own AND {schema}.dt_bucket_waits_since(h) < coalesce(p_since_ms, 'Infinity') THEN
      has_turn := false;
    END IF;
  END LOOP;
  room := s.burst - held;
  IF r.cost > room OR wait_ms > r.max_wait_ms OR slot_ms > 0 OR NOT has_turn THEN
    IF r.cost > room OR NOT has_turn THEN
      wait_ms := greatest(wait_ms, every_ms);
    END IF;
    limited_by := CASE WHEN slot_ms > wait_ms THEN 'concurrent' ELSE 'rate' END;
    wait_ms := greatest(wait_ms, slot_ms);
    IF p_own > 0 THEN
      h := s.holds[p_own];
      s.holds[p_own] := (h.id, h.seq, h.spent, h.units, h.until_ms, 0, 0, wait_ms, limited_by = 'concurrent')::{schema}.dt_bucket_hold;
    END IF;
    IF r.hold_id IS NOT NULL AND r.max_wait_ms > 0 THEN
      s.holds := {schema}.dt_bucket_keep_place(s, r, p_own, wait_ms, p_since_ms);
    END IF;
    RETURN;
  END IF;
  granted := greatest(r.cost, least(
    r.cost + r.ahead, floor(s.burst - s.used + (r.ahead_within_ms + 0.0625::float8) / every_ms), floor(room)
  ));
  first_ms := s.last_ms + (s.used + 1 - s.burst) * every_ms;
  s.used := s.used + granted;
  IF wait_ms > 0 THEN
    limited_by := 'rate';
  END IF;
  IF r.slot_id IS NOT NULL AND s.concurrent > 0 THEN
    s.slots := {schema}.dt_bucket_occupy(s.slots, r.slot_id, s.last_ms + wait_ms + r.slot_ms);
  END IF;
  IF r.hold_id IS NOT NULL THEN
    h := (r.hold_id, r.seq, r.spent, 0, 0, 0, 0, 0, false);
    IF p_own > 0 THEN
      h := s.holds[p_own];
    END IF;
    -- The last unit may be spent for for_ms, too.
    s.holds[CASE WHEN p_own > 0 THEN p_own ELSE cardinality(s.holds) + 1 END] := (
      h.id, h.seq, h.spent, h.units + granted,
      greatest(h.until_ms, s.last_ms + greatest(0, (s.used - s.burst) * every_ms) + r.for_ms), granted, first_ms, wait_ms, h.busy
    )::{schema}.dt_bucket_hold;
  END IF;
END $$;

-- The slots with one more, or with one that is taken for longer.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_occupy(p_slots {schema}.dt_bucket_slot[], p_id text, p_until_ms float8)
RETURNS {schema}.dt_bucket_slot[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  FOR i IN 1 .. cardinality(p_slots) LOOP
    IF (p_slots[i]).id = p_id THEN
      p_slots[i] := (p_id, greatest((p_slots[i]).until_ms, p_until_ms))::{schema}.dt_bucket_slot;
      RETURN p_slots;
    END IF;
  END LOOP;
  RETURN p_slots || (p_id, p_until_ms)::{schema}.dt_bucket_slot;
END $$;
