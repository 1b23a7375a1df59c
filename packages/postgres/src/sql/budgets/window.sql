-- A limit's window: units by slots, of which a window has 240. Port of @dt/core's budgets/window.ts, in the same order
-- on doubles. Loops over an array are faster here than statements that unnest it.

-- When the charges of a slot leave the window: a window after its end. Null where there is no slot of that place.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_leaves(l {schema}.dt_budget_limit, p_place integer) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  $$ SELECT (l.slots[p_place] + 241) * (l.window_ms / 240) $$;

-- Forgets the slots that are older than a window.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_prune(l {schema}.dt_budget_limit, p_now_ms float8) RETURNS {schema}.dt_budget_limit LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  next integer := 1;
BEGIN
  WHILE {schema}.dt_budget_leaves(l, next) <= p_now_ms LOOP
    next := next + 1;
  END LOOP;
  l.slots := l.slots[next :];
  l.units := l.units[next :];
  RETURN l;
END $$;

-- Units charged in the window that ends now, and ahead.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_spent(p_units float8[]) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  spent float8 := 0;
  charged float8;
BEGIN
  FOREACH charged IN ARRAY p_units LOOP
    spent := spent + charged;
  END LOOP;
  RETURN spent;
END $$;

-- When a charge has room in every window that holds it: 0 for at once. A charge that fits beside everything that is
-- reserved ahead may come before it. Any other one comes after it, when enough has left the window.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_room(l {schema}.dt_budget_limit, p_cost float8, p_most float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  spent float8 := {schema}.dt_budget_spent(l.units);
  place integer := 0;
  charged float8;
BEGIN
  IF spent + p_cost <= p_most THEN
    RETURN 0;
  END IF;
  FOREACH charged IN ARRAY l.units LOOP
    EXIT WHEN spent + p_cost <= p_most;
    spent := spent - charged;
    place := place + 1;
  END LOOP;
  -- The charges of the last of them leave last; none has to where the limit is too small for the cost.
  RETURN greatest(l.latest_ms, {schema}.dt_budget_leaves(l, place));
END $$;

-- The slot that holds an instant.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_slot(l {schema}.dt_budget_limit, p_at_ms float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  $$ SELECT floor(p_at_ms / (l.window_ms / 240)) $$;

-- Units in the fullest of the windows that hold an instant.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_fullest(l {schema}.dt_budget_limit, p_at_ms float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  slot float8 := {schema}.dt_budget_slot(l, p_at_ms);
  fullest float8 := 0;
  held float8 := 0;
  first integer := 1;
BEGIN
  FOR place IN 1 .. cardinality(l.slots) LOOP
    EXIT WHEN l.slots[place] > slot + 240;
    held := held + l.units[place];
    WHILE first <= place AND l.slots[first] < greatest(l.slots[place], slot) - 240 LOOP
      held := held - l.units[first];
      first := first + 1;
    END LOOP;
    fullest := greatest(fullest, held);
  END LOOP;
  RETURN fullest;
END $$;

-- Charges units to a slot.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_charge(l {schema}.dt_budget_limit, p_slot float8, p_units float8) RETURNS {schema}.dt_budget_limit LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  place integer := width_bucket(p_slot, l.slots);
BEGIN
  IF l.slots[place] = p_slot THEN
    l.units[place] := l.units[place] + p_units;
  ELSE
    l.slots := l.slots[: place] || p_slot || l.slots[place + 1 :];
    l.units := l.units[: place] || p_units || l.units[place + 1 :];
  END IF;
  RETURN l;
END $$;

-- Gives a limit another window. What was charged leaves it no earlier than a window of the new length later.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_resize(l {schema}.dt_budget_limit, p_window_ms float8) RETURNS {schema}.dt_budget_limit LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  slots float8[] := l.slots;
  units float8[] := l.units;
  old_ms float8 := l.window_ms / 240;
BEGIN
  l.window_ms := p_window_ms;
  l.slots := '{}';
  l.units := '{}';
  FOR place IN 1 .. cardinality(slots) LOOP
    l := {schema}.dt_budget_charge(l, ceil((slots[place] + 1) * old_ms / (p_window_ms / 240)) - 1, units[place]);
  END LOOP;
  RETURN l;
END $$;
