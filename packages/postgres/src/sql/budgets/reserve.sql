-- What is reserved of a budget. Port of @dt/core's budgets/budgets.ts, in the same order on doubles.

-- A cost's turn in the pace of one limit (B4): 0 where that has come.
-- p_every_ms: the even distance of units.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_turn(
  l {schema}.dt_budget_limit, p_burst float8, p_cost float8, p_tier integer, p_every_ms float8, p_now_ms float8
) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  pace_ms float8 := l.pace_ms[p_tier + 1] + (least(p_cost, p_burst) - p_burst) * p_every_ms;
BEGIN
  -- A turn so little ahead has come: sums of times are rounded.
  RETURN CASE WHEN pace_ms - p_now_ms < 0.0625 THEN 0 ELSE pace_ms END;
END $$;

-- Charges a cost to a limit's window, and moves the pace of its tier and of those behind it: a second ahead at most, so
-- that calls that do not need what the cost waits for wait no longer.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_take(
  l {schema}.dt_budget_limit, p_cost float8, p_tier integer, p_at_ms float8, p_every_ms float8, p_now_ms float8
) RETURNS {schema}.dt_budget_limit LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  begin_ms float8 := least(p_at_ms, p_now_ms + 1000);
  taken_ms float8 := {schema}.dt_budget_times(p_cost, p_every_ms);
BEGIN
  l := {schema}.dt_budget_charge(l, {schema}.dt_budget_slot(l, p_at_ms), p_cost);
  l.latest_ms := greatest(l.latest_ms, p_at_ms);
  FOR later IN p_tier + 1 .. cardinality(l.pace_ms) LOOP
    l.pace_ms[later] := greatest(l.pace_ms[later], begin_ms) + taken_ms;
  END LOOP;
  RETURN l;
END $$;

-- Reserves all of a cost, or nothing (B3). A repeat is answered the same lease (B8). lease: also of what is refused.
-- p_own: for each limit of the request its place among p_limits. is_new: true where something was reserved just now.
-- Cost: one look-up by key and one insert, O(slots) for each limit.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_reserve(
  s {schema}.dt_budget_state, p_limits {schema}.dt_budget_limit[], p_own integer[], p_bursts float8[], p_keep float8,
  p_id text, p_costs float8[], p_tier integer, p_max_wait_ms float8, p_keep_ms float8, p_force boolean,
  OUT lease {schema}.dt_budget_lease, OUT limits {schema}.dt_budget_limit[], OUT granted boolean, OUT is_new boolean
) LANGUAGE plpgsql AS $$
DECLARE
  l {schema}.dt_budget_limit;
  due_ms float8 := s.last_ms;
  limit_ms float8;
  limited_by integer;
  margin float8;
  -- For each limit of the request what a window may hold with the cost.
  most float8[] := '{}';
  -- What a window may hold of its tier.
  tier_max float8[] := '{}';
  too_dear boolean := false;
  has_room boolean := true;
  every_ms float8[] := '{}';
  costs float8[] := array_fill(0::float8, ARRAY[cardinality(p_limits)]);
BEGIN
  limits := p_limits;
  is_new := false;
  SELECT * INTO lease FROM {schema}.dt_budget_lease k WHERE k.budget_id = s.budget_id AND k.id = p_id;
  -- One whose time is over counts as forgotten, and is written over.
  granted := coalesce(lease.forget_at_ms > s.last_ms, false);
  IF granted THEN
    RETURN;
  END IF;
  IF s.paused_until_ms > due_ms THEN
    due_ms := s.paused_until_ms;
    limited_by := -1;
  END IF;
  FOR i IN 1 .. cardinality(p_own) LOOP
    CONTINUE WHEN p_costs[i] = 0;
    costs[p_own[i]] := p_costs[i];
    l := limits[p_own[i]];
    margin := {schema}.dt_budget_margin(l, s.last_ms);
    every_ms[i] := l.window_ms / (l.max - margin);
    tier_max[i] := l.max * (1 - p_keep);
    most[i] := greatest(tier_max[i] - margin, least(p_costs[i], tier_max[i]));
    limit_ms := {schema}.dt_budget_turn(l, p_bursts[i], p_costs[i], p_tier, every_ms[i], s.last_ms);
    IF limit_ms > due_ms THEN
      due_ms := limit_ms;
      limited_by := l.place;
    END IF;
  END LOOP;
  FOR i IN 1 .. cardinality(p_own) LOOP
    CONTINUE WHEN p_costs[i] = 0;
    has_room := {schema}.dt_budget_fullest(limits[p_own[i]], due_ms) + p_costs[i] <= most[i];
    EXIT WHEN NOT has_room;
  END LOOP;
  IF NOT has_room THEN
    FOR i IN 1 .. cardinality(p_own) LOOP
      CONTINUE WHEN p_costs[i] = 0;
      l := limits[p_own[i]];
      limit_ms := {schema}.dt_budget_room(l, p_costs[i], most[i]);
      IF limit_ms > due_ms THEN
        due_ms := limit_ms;
        limited_by := l.place;
      END IF;
    END LOOP;
  END IF;
  -- A cost beyond that has to wait until the limit is raised (B13).
  FOR i IN 1 .. cardinality(p_own) LOOP
    CONTINUE WHEN p_costs[i] = 0 OR p_costs[i] <= tier_max[i];
    due_ms := s.last_ms + (limits[p_own[i]]).window_ms;
    limited_by := (limits[p_own[i]]).place;
    too_dear := true;
    EXIT;
  END LOOP;
  lease := (
    s.budget_id, p_id, CASE WHEN p_force THEN s.last_ms ELSE due_ms END, p_tier, due_ms - s.last_ms, limited_by, costs, 0
  )::{schema}.dt_budget_lease;
  lease.forget_at_ms := lease.at_ms + p_keep_ms;
  granted := p_force OR NOT too_dear AND lease.wait_ms <= p_max_wait_ms;
  is_new := granted;
  IF NOT granted THEN
    RETURN;
  END IF;
  FOR i IN 1 .. cardinality(p_own) LOOP
    CONTINUE WHEN p_costs[i] = 0;
    limits[p_own[i]] := {schema}.dt_budget_take(limits[p_own[i]], p_costs[i], p_tier, lease.at_ms, every_ms[i], s.last_ms);
  END LOOP;
  INSERT INTO {schema}.dt_budget_lease SELECT lease.* ON CONFLICT (budget_id, id) DO UPDATE SET
    at_ms = excluded.at_ms, tier = excluded.tier, wait_ms = excluded.wait_ms, limited_by = excluded.limited_by,
    costs = excluded.costs, forget_at_ms = excluded.forget_at_ms;
END $$;
