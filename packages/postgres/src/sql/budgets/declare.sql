-- The limits of a budget: as they are, and as a request declares them.

-- Refuses a limit with a number out of range: no store wrote it.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_check_limit(l {schema}.dt_budget_limit, p_place integer, p_budget text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- A null among them makes it null.
  IF (
    l.place = p_place AND l.max > 0 AND l.max <= 1e12 AND l.window_ms BETWEEN 1 AND 8640000000 AND abs(l.latest_ms) <= 1e15
    AND abs(l.surplus) <= 1e30 AND l.variance BETWEEN 0 AND 1e60 AND abs(l.learned_ms) <= 1e15
    AND cardinality(l.pace_ms) BETWEEN 1 AND 8 AND 0 <= ALL (l.pace_ms) AND 1e18 >= ALL (l.pace_ms)
    AND cardinality(l.slots) = cardinality(l.units) AND 0 <= ALL (l.units) AND 1e18 >= ALL (l.units)
    AND 1e18 >= ALL (l.slots) AND coalesce(l.slots[1] BETWEEN -1e18 AND l.slots[cardinality(l.slots)], true)
  ) IS NOT TRUE THEN
    RAISE EXCEPTION 'the row of limit % of budget % in dt_budget_limit|numbers that are out of range', l.name, p_budget
      USING ERRCODE = 'DT003';
  END IF;
END $$;

-- The limits with what the request declares of them: new ones are appended, and each has so many tiers.
-- own: for each limit of the request its place among limits.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_declare(
  s {schema}.dt_budget_state, p_limits {schema}.dt_budget_limit[], p_known text[],
  p_names text[], p_maxima float8[], p_windows_ms float8[], p_tiers integer,
  OUT limits {schema}.dt_budget_limit[], OUT own integer[]
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  l {schema}.dt_budget_limit;
  place integer;
BEGIN
  limits := p_limits;
  FOR i IN 1 .. cardinality(p_names) LOOP
    place := array_position(p_known, p_names[i]);
    IF place IS NULL THEN
      place := cardinality(limits) + 1;
      l := (s.budget_id, s.turn, place, p_names[i], p_maxima[i], p_windows_ms[i], '{}', '{}', '{}', 0, 0, 0, 0)::{schema}.dt_budget_limit;
    ELSE
      l := limits[place];
      l.max := p_maxima[i];
      IF l.window_ms <> p_windows_ms[i] THEN
        l := {schema}.dt_budget_resize(l, p_windows_ms[i]);
      END IF;
    END IF;
    WHILE cardinality(l.pace_ms) < p_tiers LOOP
      l.pace_ms := l.pace_ms || coalesce(l.pace_ms[cardinality(l.pace_ms)], 0);
    END LOOP;
    limits[place] := l;
    own[i] := place;
  END LOOP;
END $$;
