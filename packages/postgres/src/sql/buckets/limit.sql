-- The limit that is in force. Port of @dt/core's keyed/limit-in-force.ts.

-- The four numbers of a limit record, and of the request's those that it does not name; null where it is damaged (L6).
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_stored(p_values text, p_own float8[]) RETURNS float8[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  numbers record := {schema}.dt_limit_numbers(p_values);
  names text[] := '{max,windowMs,burst,concurrent}';
  place integer;
BEGIN
  IF numbers.names IS NULL OR NOT numbers.names @> '{max,windowMs,burst}' THEN
    RETURN NULL;
  END IF;
  FOR i IN 1 .. cardinality(numbers.names) LOOP
    place := array_position(names, numbers.names[i]);
    IF place IS NULL THEN
      RETURN NULL;
    END IF;
    p_own[place] := numbers.amounts[i];
  END LOOP;
  RETURN CASE WHEN
    p_own[1] > 0 AND p_own[1] <= 1e12 AND p_own[2] BETWEEN 1 AND 8640000000 AND p_own[3] BETWEEN 1 AND 1e12
    AND (NOT numbers.names @> '{concurrent}' OR p_own[4] BETWEEN 1 AND 1000 AND p_own[4] = floor(p_own[4])) THEN p_own
  END;
END $$;

-- For each number the stricter one of two limits.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_stricter(p_a float8[], p_b float8[]) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_a[2] / p_a[1] < p_b[2] / p_b[1] THEN p_b[1:2] ELSE p_a[1:2] END || least(p_a[3], p_b[3])
    || CASE WHEN p_a[4] > 0 AND p_b[4] > 0 THEN least(p_a[4], p_b[4]) ELSE p_a[4] + p_b[4] END
$$;

-- Puts the limit of a request in force (K9). The units that were taken stay taken.
-- p_used_ms: the bucket's time at the request before; p_head: the limit record, looked at for a request with stored.
-- refusal: as in dt_bucket_answer; with 'limit' the bucket has the limit of the others.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_put_in_force(
  INOUT s {schema}.dt_bucket, r {schema}.dt_bucket_request, p_used_ms float8, p_head {schema}.dt_limit_head, OUT refusal text
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  own float8[] := ARRAY[r.max, r.window_ms, r.burst, r.concurrent];
  -- The limit of the requests without stored, and when the last of them came.
  declared float8[] := s.declared;
  declared_ms float8 := s.declared_ms;
  replaces boolean;
BEGIN
  IF s.stored_revision IS NULL THEN
    declared := CASE WHEN s.max > 0 THEN ARRAY[s.max, s.window_ms, s.burst, s.concurrent] END;
    declared_ms := p_used_ms;
  END IF;
  IF r.stored THEN
    -- While nothing is set for the key, each request's own limit counts: it may be one that is stored for all keys.
    IF p_head.state <= 0 OR s.stored_revision IS DISTINCT FROM p_head.state THEN
      IF p_head.state > 0 THEN
        own := {schema}.dt_bucket_stored(p_head.numbers, own);
        IF own IS NULL THEN
          refusal := 'record';
          RETURN;
        END IF;
      END IF;
      s.stored_revision := p_head.state;
      s.stored := own;
      s.declared := declared;
      s.declared_ms := declared_ms;
    END IF;
    own := s.stored;
  ELSIF own IS DISTINCT FROM declared OR r.former IS NOT NULL OR s.former IS NOT NULL OR s.stored_revision IS NOT NULL THEN
    replaces := coalesce(r.former = declared, false);
    -- A process that still has the limit that was replaced is served by the one in force.
    IF own IS DISTINCT FROM declared AND NOT replaces AND own = s.former THEN
      RETURN;
    END IF;
    IF declared IS NOT NULL AND own <> declared AND NOT replaces AND s.last_ms - declared_ms <= 10000 THEN
      own := declared;
      refusal := 'limit';
    ELSE
      s.former := r.former;
      IF s.stored_revision IS NOT NULL THEN
        s.declared := own;
        s.declared_ms := s.last_ms;
        own := {schema}.dt_bucket_stricter(own, s.stored);
      END IF;
    END IF;
  END IF;
  s.max := own[1];
  s.window_ms := own[2];
  s.burst := own[3];
  s.concurrent := own[4];
END $$;
