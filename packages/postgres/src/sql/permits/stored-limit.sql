-- The limit of a key that lives in the store (P16). Port of @dt/core's permits/stored-limit.ts, in the same order on
-- doubles.

-- The key with the limit of a request with stored taken in. A copy that nobody used for ten seconds is gone. With
-- another distance, what of the timestamp lies beyond the instants that are reserved ahead keeps its units.
-- p_idle_ms: how long the key was not used, and nothing was reserved. Cost: none, or one look-up by key.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_keep_copy(
  s {schema}.dt_permit_state, r {schema}.dt_permit_request, p_key text, p_stored boolean, p_idle_ms float8
) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  head {schema}.dt_limit_head;
  numbers record;
  every_ms float8 := r.every_ms;
  burst float8 := r.burst;
  ahead_ms float8;
BEGIN
  IF p_idle_ms > 10000 THEN
    s.stored_revision := NULL;
    s.stored_every_ms := NULL;
    s.stored_burst := NULL;
  END IF;
  IF NOT p_stored THEN
    RETURN s;
  END IF;
  head := {schema}.dt_limit_head('permits', p_key, '', {schema}.dt_clock_ms());
  IF s.stored_revision = head.state THEN
    RETURN s;
  END IF;
  IF head.state > 0 THEN
    numbers := {schema}.dt_limit_numbers(head.numbers);
    every_ms := numbers.amounts[array_position(numbers.names, 'everyMs')];
    burst := coalesce(numbers.amounts[array_position(numbers.names, 'burst')], r.burst);
    IF (
      numbers.names <@ '{everyMs,burst}' AND every_ms > 0 AND every_ms <= 1e12
      AND (NOT numbers.names @> '{burst}' OR burst BETWEEN 1 AND 1e12 AND burst = floor(burst))
    ) IS NOT TRUE THEN
      head.fault := {schema}.dt_limit_fault(head.numbers);
    END IF;
  END IF;
  IF head.fault IS NOT NULL THEN
    RAISE EXCEPTION '%|', head.fault USING ERRCODE = 'DT004';
  END IF;
  IF s.stored_revision IS NULL THEN
    -- By which distance a key without a copy is reserved nobody knows.
    s.ahead_until_ms := s.tat_ms;
  ELSE
    ahead_ms := greatest({schema}.dt_permit_from_ms(s), s.ahead_until_ms);
    IF s.tat_ms > ahead_ms THEN
      s.tat_ms := ahead_ms + least((s.tat_ms - ahead_ms) * every_ms / s.stored_every_ms, 1e12);
    END IF;
  END IF;
  s.stored_revision := head.state;
  s.stored_every_ms := every_ms;
  s.stored_burst := burst;
  RETURN s;
END $$;

-- The request as the copy makes it: with the numbers in force (L4), within the bounds of P11, and with nothing reserved
-- more than a second ahead.
CREATE OR REPLACE FUNCTION {schema}.dt_permit_in_force(r {schema}.dt_permit_request, s {schema}.dt_permit_state, p_stored boolean)
RETURNS {schema}.dt_permit_request LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  most_units float8;
BEGIN
  IF s.stored_revision IS NULL THEN
    RETURN r;
  END IF;
  r.every_ms := CASE WHEN p_stored THEN s.stored_every_ms ELSE greatest(r.every_ms, s.stored_every_ms) END;
  r.burst := CASE WHEN p_stored THEN s.stored_burst ELSE least(r.burst, s.stored_burst) END;
  most_units := greatest(1, 86400000 / r.every_ms);
  r.burst := least(r.burst, greatest(1, floor(1e12 / r.every_ms)));
  r.cost := least(r.cost, most_units);
  r.count := least(r.count, greatest(1, floor(most_units / r.cost)));
  r.max_reserved := least(r.max_reserved, floor(1000 / r.every_ms));
  RETURN r;
END $$;
