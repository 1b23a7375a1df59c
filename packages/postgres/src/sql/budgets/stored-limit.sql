-- The limits of a budget that live in the store (B13). Port of @dt/core's budgets/stored-limit.ts, in the same order on
-- doubles.

-- The budget and its limits with those of a request with stored taken in. A copy that nobody used for ten seconds is
-- gone. With another max the pace keeps its units, and nothing has to come after the latest instant that is reserved.
-- p_idle_ms: how long the budget was not used. p_id: of the reservation, or null; a repeat takes in nothing. Cost:
-- none, or two look-ups by key.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_keep_copy(
  INOUT s {schema}.dt_budget_state, INOUT limits {schema}.dt_budget_limit[], p_budget text, p_names text[], p_maxima float8[], p_id text,
  p_stored boolean, p_idle_ms float8
) LANGUAGE plpgsql AS $$
DECLARE
  head {schema}.dt_limit_head;
  numbers record;
  l {schema}.dt_budget_limit;
  old float8;
  new float8;
  place integer;
BEGIN
  IF p_idle_ms > 10000 THEN
    s.stored_revision := NULL;
    s.stored_names := NULL;
    s.stored_maxima := NULL;
  END IF;
  IF NOT p_stored
    OR EXISTS (SELECT FROM {schema}.dt_budget_lease WHERE budget_id = s.budget_id AND id = p_id AND forget_at_ms > s.last_ms) THEN
    RETURN;
  END IF;
  head := {schema}.dt_limit_head('budget', p_budget, '', {schema}.dt_clock_ms());
  IF s.stored_revision = head.state THEN
    RETURN;
  END IF;
  IF head.state > 0 THEN
    numbers := {schema}.dt_limit_numbers(head.numbers);
    IF (cardinality(numbers.names) <= 16 AND 0 < ALL (numbers.amounts) AND 1e12 >= ALL (numbers.amounts)) IS NOT TRUE
      OR (SELECT bool_or(char_length(n) NOT BETWEEN 1 AND 128) FROM unnest(numbers.names) n) THEN
      head.fault := {schema}.dt_limit_fault(head.numbers);
    ELSE
      FOR i IN 1 .. cardinality(numbers.names) LOOP
        place := coalesce(array_position(p_names, numbers.names[i]), cardinality(p_names) + 1);
        p_names[place] := numbers.names[i];
        p_maxima[place] := numbers.amounts[i];
      END LOOP;
    END IF;
  END IF;
  IF head.fault IS NOT NULL THEN
    RAISE EXCEPTION '%|', head.fault USING ERRCODE = 'DT004';
  END IF;
  IF s.stored_revision IS NOT NULL THEN
    FOR i IN 1 .. cardinality(limits) LOOP
      l := limits[i];
      old := s.stored_maxima[array_position(s.stored_names, l.name)];
      new := p_maxima[array_position(p_names, l.name)];
      -- Nulls are of a limit that has no stored max.
      CONTINUE WHEN old = new IS NOT FALSE;
      l.latest_ms := least(l.latest_ms, s.last_ms);
      FOR tier IN 1 .. cardinality(l.pace_ms) LOOP
        IF l.pace_ms[tier] > s.last_ms THEN
          l.pace_ms[tier] := s.last_ms + (l.pace_ms[tier] - s.last_ms) * old / new;
        END IF;
      END LOOP;
      limits[i] := l;
    END LOOP;
  END IF;
  s.stored_revision := head.state;
  s.stored_names := p_names;
  s.stored_maxima := p_maxima;
END $$;

-- The limits of a request as the copy makes them (L4). The burst is the same part of each.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_in_force(
  s {schema}.dt_budget_state, p_names text[], INOUT maxima float8[], INOUT bursts float8[], p_stored boolean
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  max float8;
BEGIN
  FOR i IN 1 .. cardinality(p_names) LOOP
    max := s.stored_maxima[array_position(s.stored_names, p_names[i])];
    IF NOT p_stored THEN
      max := least(maxima[i], max);
    END IF;
    IF max <> maxima[i] THEN
      bursts[i] := bursts[i] * max / maxima[i];
      maxima[i] := max;
    END IF;
  END LOOP;
END $$;
