-- What a call has cost, and what a callee states is left. Port of @dt/core's budgets/budgets.ts, in the same order on
-- doubles.

-- Charges what a call cost more than was reserved, or takes back what it cost less. A charge whose window has passed is
-- not taken back. More is charged to the slot of the call, or now where that has passed, as far as the debt is less
-- than the limit.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_correct(l {schema}.dt_budget_limit, p_lease {schema}.dt_budget_lease, p_more float8, p_now_ms float8)
RETURNS {schema}.dt_budget_limit LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  slot float8 := {schema}.dt_budget_slot(l, p_lease.at_ms);
  place integer := width_bucket(slot, l.slots);
  in_window boolean := coalesce(l.slots[place] = slot, false);
  charged float8 := p_more;
  every_ms float8 := l.window_ms / (l.max - {schema}.dt_budget_margin(l, p_now_ms));
  by_ms float8;
BEGIN
  IF p_more = 0 OR (p_more < 0 AND NOT in_window) THEN
    RETURN l;
  END IF;
  IF p_more > 0 THEN
    charged := least(p_more, greatest(0, 2 * l.max - {schema}.dt_budget_spent(l.units)));
  END IF;
  IF in_window THEN
    l.units[place] := greatest(0, l.units[place] + charged);
  ELSE
    l := {schema}.dt_budget_charge(l, {schema}.dt_budget_slot(l, p_now_ms), charged);
  END IF;
  by_ms := {schema}.dt_budget_times(charged, every_ms);
  FOR later IN p_lease.tier + 1 .. cardinality(l.pace_ms) LOOP
    l.pace_ms[later] := greatest(
      least(l.pace_ms[later], p_now_ms), greatest(l.pace_ms[later], CASE WHEN p_more > 0 THEN p_now_ms ELSE 0 END) + by_ms
    );
  END LOOP;
  RETURN l;
END $$;

-- Settles one lease (B6); nothing happens where it is not known.
-- p_own: for each limit of the request its place among p_limits; p_costs: what the call spent of it. durable: true
-- where more was charged.
-- Cost: one look-up by key, O(slots) for each limit.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_settle(
  s {schema}.dt_budget_state, p_limits {schema}.dt_budget_limit[], p_own integer[], p_id text, p_costs float8[], p_measured boolean,
  OUT limits {schema}.dt_budget_limit[], OUT durable boolean
) LANGUAGE plpgsql AS $$
DECLARE
  lease {schema}.dt_budget_lease;
  l {schema}.dt_budget_limit;
  reserved float8;
  spent float8;
BEGIN
  limits := p_limits;
  durable := false;
  DELETE FROM {schema}.dt_budget_lease WHERE budget_id = s.budget_id AND id = p_id RETURNING * INTO lease;
  -- One whose time is over counts as forgotten.
  IF lease.id IS NULL OR lease.forget_at_ms <= s.last_ms THEN
    RETURN;
  END IF;
  FOR place IN 1 .. cardinality(limits) LOOP
    reserved := coalesce(lease.costs[place], 0);
    spent := coalesce(p_costs[array_position(p_own, place)], reserved);
    durable := durable OR spent > reserved;
    l := {schema}.dt_budget_correct(limits[place], lease, spent - reserved, s.last_ms);
    IF p_measured THEN
      l := {schema}.dt_budget_learn(l, reserved - spent, s.last_ms - lease.at_ms, s.last_ms);
    END IF;
    limits[place] := l;
  END LOOP;
END $$;

-- Lowers what is left of a limit to what the callee states (B7), until the callee's limit is full again.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_lower(l {schema}.dt_budget_limit, p_rest float8, p_reset_ms float8, p_now_ms float8)
RETURNS {schema}.dt_budget_limit LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  over float8 := l.max - {schema}.dt_budget_spent(l.units) - p_rest;
BEGIN
  IF over <= 0 THEN
    RETURN l;
  END IF;
  RETURN {schema}.dt_budget_charge(l, {schema}.dt_budget_slot(l, p_now_ms + least(p_reset_ms, l.window_ms) - l.window_ms), over);
END $$;
