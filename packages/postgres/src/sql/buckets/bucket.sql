-- A bucket's row: whether it is sound, its time, and how long it is kept. Ports of parts of @dt/core's keyed/buckets.ts
-- and of its keyed/meaningful-for.ts, in the same order on doubles.

-- Whether four numbers are those of a limit.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_sound(p_limit float8[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(
    p_limit[1] > 0 AND p_limit[2] > 0 AND p_limit[3] > 0 AND p_limit[4] >= 0 AND 1e300 >= ALL (p_limit) AND cardinality(p_limit) = 4, false
  )
$$;

-- What is wrong with a bucket's row; null where nothing is. No store wrote what is out of range.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_fault(s {schema}.dt_bucket) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  h {schema}.dt_bucket_hold;
  x {schema}.dt_bucket_slot;
BEGIN
  IF NOT (
    s.last_ms BETWEEN 0 AND 1e16 AND abs(s.offset_ms) <= 1e16 AND s.hits_until_ms BETWEEN 0 AND 1e16
    AND s.hits BETWEEN 0 AND 9007199254740991 AND s.used BETWEEN 0 AND 1e300
    AND (s.max = 0 OR s.max > 0 AND s.window_ms > 0 AND s.burst > 0 AND s.max <= 1e300 AND s.window_ms <= 1e300 AND s.burst <= 1e300)
    AND s.concurrent BETWEEN 0 AND 1e9
  ) THEN
    RETURN format(
      'numbers that are out of range (last_ms %s, offset_ms %s, max %s, window_ms %s, burst %s, concurrent %s, used %s, hits %s, hits_until_ms %s)',
      s.last_ms, s.offset_ms, s.max, s.window_ms, s.burst, s.concurrent, s.used, s.hits, s.hits_until_ms
    );
  END IF;
  FOREACH h IN ARRAY s.holds LOOP
    -- A null among them makes it null.
    IF (
      h.id <> '' AND h.seq BETWEEN 0 AND 9007199254740991 AND h.spent BETWEEN 0 AND 9007199254740991 AND h.units BETWEEN 0 AND 9007199254740991
      AND h.until_ms BETWEEN 0 AND 1e16 AND h.granted BETWEEN 0 AND 9007199254740991 AND abs(h.first_ms) <= 1e300
      AND h.wait_ms BETWEEN 0 AND 1e300 AND h.busy IS NOT NULL
    ) IS NOT TRUE THEN
      RETURN format('units in hand that are out of range (%s)', h);
    END IF;
  END LOOP;
  FOREACH x IN ARRAY s.slots LOOP
    IF (x.id <> '' AND x.until_ms BETWEEN 0 AND 1e16) IS NOT TRUE THEN
      RETURN format('a slot that is none (%s)', x);
    END IF;
  END LOOP;
  IF s.former IS NOT NULL AND NOT {schema}.dt_bucket_sound(s.former) OR s.declared IS NOT NULL AND NOT {schema}.dt_bucket_sound(s.declared) THEN
    RETURN format('a limit that is none (former %s, declared %s)', s.former, s.declared);
  END IF;
  IF s.stored_revision IS NOT NULL AND NOT coalesce({schema}.dt_bucket_sound(s.stored) AND s.declared_ms BETWEEN 0 AND 1e16, false) THEN
    RETURN format('a stored limit that is none (%s, declared_ms %s)', s.stored, s.declared_ms);
  END IF;
  RETURN NULL;
END $$;

-- Lets a bucket's time go on to the server's (K2); it never goes back. Units come back, as many as have room beside
-- what is in hand. Units in hand whose time is over are spent, and slots are free.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_advance(s {schema}.dt_bucket, p_clock_ms float8) RETURNS {schema}.dt_bucket LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  from_ms float8 := s.last_ms;
  held float8 := 0;
  is_over boolean := false;
  h {schema}.dt_bucket_hold;
BEGIN
  IF p_clock_ms + s.offset_ms < s.last_ms THEN
    s.offset_ms := s.last_ms - p_clock_ms;
  END IF;
  -- The sum may be rounded to less.
  s.last_ms := greatest(s.last_ms, p_clock_ms + s.offset_ms);
  IF cardinality(s.slots) > 0 THEN
    s.slots := ARRAY(SELECT x FROM unnest(s.slots) x WHERE x.until_ms > s.last_ms);
  END IF;
  FOREACH h IN ARRAY s.holds LOOP
    held := held + h.units;
    is_over := is_over OR h.until_ms <= s.last_ms;
  END LOOP;
  IF is_over THEN
    FOR h IN SELECT x.* FROM unnest(s.holds) x WHERE x.until_ms <= s.last_ms ORDER BY x.until_ms LOOP
      IF s.max > 0 AND h.until_ms > from_ms THEN
        s.used := greatest(held, s.used - (h.until_ms - from_ms) * s.max / s.window_ms);
        from_ms := h.until_ms;
      END IF;
      held := held - h.units;
    END LOOP;
    s.holds := ARRAY(SELECT x FROM unnest(s.holds) x WHERE x.until_ms > s.last_ms);
  END IF;
  IF s.max > 0 AND s.last_ms > from_ms THEN
    s.used := greatest(held, s.used - (s.last_ms - from_ms) * s.max / s.window_ms);
  END IF;
  RETURN s;
END $$;

-- The time on the server's clock from which a bucket that is new would say the same, and ten seconds more, so that its
-- time does not go back where that clock was set back.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_needed_ms(s {schema}.dt_bucket) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  every_ms float8 := CASE WHEN s.max > 0 THEN s.window_ms / s.max ELSE 0 END;
  held float8 := 0;
  spent_ms float8 := s.last_ms;
  free_ms float8 := s.hits_until_ms;
  h {schema}.dt_bucket_hold;
  x {schema}.dt_bucket_slot;
BEGIN
  FOREACH h IN ARRAY s.holds LOOP
    held := held + h.units;
    spent_ms := greatest(spent_ms, h.until_ms);
  END LOOP;
  FOREACH x IN ARRAY s.slots LOOP
    free_ms := greatest(free_ms, x.until_ms);
  END LOOP;
  RETURN least(
    greatest(s.last_ms + s.used * every_ms, spent_ms + held * every_ms, free_ms) + 10000, s.last_ms + 1e12
  ) - s.offset_ms;
END $$;
