-- spend: settles leases, takes in what the callee states and a pause, and reserves all of a cost or nothing.
-- Input  budget; names, maxima, windows and bursts of its limits; keeps of its tiers; the request's terms, and those
--        that they take the place of, or null; ids of the leases to settle, their costs (one list, lease by lease), and
--        whether they were measured; places of limits from 0 on of which the callee states a rest, the rests, and how
--        long until they are full; a pause from now on, 0 for none; id, costs, tier, longest wait, keep and force of
--        the reservation, nulls for none; longest wait for the budget's lock; whether its limits are the stored ones
--        (B13); times in milliseconds
-- Output a dt_spending; only its other_terms when the budget is used with others (B9), without any effect
-- Cost   O(limits * slots) arithmetic; four look-ups by key; one insert, and HOT updates of the budget's row and of
--        each limit that changed; a look-up, and O(limits * slots), for each lease that is settled
CREATE OR REPLACE FUNCTION {schema}.dt_spend(
  p_budget text, p_names text[], p_maxima float8[], p_windows_ms float8[], p_bursts float8[], p_keeps float8[],
  p_terms text, p_former_terms text, p_settle_ids text[], p_settle_costs float8[], p_settle_measured boolean[],
  p_stated_limits integer[], p_stated_rests float8[], p_stated_resets_ms float8[], p_pause_ms float8,
  p_id text, p_costs float8[], p_tier integer, p_max_wait_ms float8, p_keep_ms float8, p_force boolean, p_wait_ms integer,
  p_stored boolean
) RETURNS {schema}.dt_spending LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_budget_state := {schema}.dt_budget_open(p_budget, p_wait_ms);
  l {schema}.dt_budget_limit;
  before {schema}.dt_budget_limit[] := '{}';
  limits {schema}.dt_budget_limit[];
  known text[] := '{}';
  own integer[];
  kept record;
  in_force record;
  declared record;
  settled record;
  reserved record;
  lease {schema}.dt_budget_lease;
  used_ms float8;
  offset_before_ms float8;
  granted boolean := false;
  durable boolean;
  place integer;
  rests float8[] := '{}';
  maxima float8[] := '{}';
BEGIN
  PERFORM {schema}.dt_budget_check(s, p_budget);
  offset_before_ms := s.offset_ms;
  used_ms := s.last_ms;
  s := {schema}.dt_budget_advance(s);
  durable := s.offset_ms <> offset_before_ms;
  -- A process that still has the terms that were replaced is served, and changes nothing.
  IF p_id IS NOT NULL AND p_terms IS NOT NULL AND NOT (
    p_terms IS DISTINCT FROM s.terms AND p_former_terms IS DISTINCT FROM s.terms AND p_terms IS NOT DISTINCT FROM s.former_terms
  ) THEN
    IF s.terms IS NOT NULL AND s.last_ms - used_ms <= 10000 AND p_terms <> s.terms AND p_former_terms IS DISTINCT FROM s.terms THEN
      PERFORM {schema}.dt_durability(false);
      RETURN (false, 0, 0, NULL, 0, '{}'::float8[], s.last_ms, s.terms, NULL)::{schema}.dt_spending;
    END IF;
    s.terms := p_terms;
    s.former_terms := p_former_terms;
  END IF;
  FOR l IN SELECT * FROM {schema}.dt_budget_limit WHERE budget_id = s.budget_id AND turn = s.turn ORDER BY place LOOP
    before := before || l;
    known := known || l.name;
    PERFORM {schema}.dt_budget_check_limit(l, cardinality(known), p_budget);
  END LOOP;
  kept := {schema}.dt_budget_keep_copy(s, before, p_budget, p_names, p_maxima, p_id, p_stored, s.last_ms - used_ms);
  s := kept.s;
  in_force := {schema}.dt_budget_in_force(s, p_names, p_maxima, p_bursts, p_stored);
  declared := {schema}.dt_budget_declare(s, kept.limits, known, p_names, in_force.maxima, p_windows_ms, cardinality(p_keeps));
  limits := declared.limits;
  own := declared.own;
  FOR place IN 1 .. cardinality(limits) LOOP
    IF {schema}.dt_budget_leaves(limits[place], 1) <= s.last_ms THEN
      limits[place] := {schema}.dt_budget_prune(limits[place], s.last_ms);
    END IF;
  END LOOP;
  s := {schema}.dt_budget_sweep(s);
  FOR i IN 1 .. cardinality(p_settle_ids) LOOP
    settled := {schema}.dt_budget_settle(
      s, limits, own, p_settle_ids[i], p_settle_costs[(i - 1) * cardinality(own) + 1 : i * cardinality(own)], p_settle_measured[i]
    );
    limits := settled.limits;
    durable := durable OR settled.durable;
  END LOOP;
  FOR i IN 1 .. cardinality(p_stated_limits) LOOP
    place := own[p_stated_limits[i] + 1];
    limits[place] := {schema}.dt_budget_lower(limits[place], p_stated_rests[i], p_stated_resets_ms[i], s.last_ms);
    durable := true;
  END LOOP;
  IF p_pause_ms > 0 THEN
    s.paused_until_ms := greatest(s.paused_until_ms, s.last_ms + least(p_pause_ms, 86400000));
    durable := true;
  END IF;
  IF p_id IS NOT NULL THEN
    -- While a budget has stored limits nothing is reserved farther ahead.
    IF s.stored_revision IS NOT NULL THEN
      p_max_wait_ms := least(p_max_wait_ms, 60000, (SELECT max(w) FROM unnest(p_windows_ms) w));
    END IF;
    reserved := {schema}.dt_budget_reserve(
      s, limits, own, in_force.bursts, p_keeps[p_tier + 1], p_id, p_costs, p_tier, p_max_wait_ms, p_keep_ms, p_force
    );
    lease := reserved.lease;
    limits := reserved.limits;
    granted := reserved.granted;
    durable := durable OR reserved.is_new;
    -- What is refused may lie far ahead.
    IF granted THEN
      s.needed_ms := greatest(s.needed_ms, lease.forget_at_ms);
    END IF;
  END IF;
  PERFORM {schema}.dt_budget_put(s, limits, before);
  PERFORM {schema}.dt_durability(durable);
  FOREACH place IN ARRAY own LOOP
    l := limits[place];
    rests := rests || (l.max - {schema}.dt_budget_spent(l.units));
    maxima := maxima || l.max;
  END LOOP;
  RETURN (
    granted, CASE WHEN granted THEN lease.at_ms ELSE 0 END, coalesce(lease.wait_ms, 0),
    -- A limit that the request does not name is said as -1.
    CASE WHEN lease.limited_by > 0 THEN coalesce(array_position(own, lease.limited_by), 0) - 1 ELSE lease.limited_by END,
    greatest(0, s.paused_until_ms - s.last_ms), rests, s.last_ms, NULL, CASE WHEN s.stored_revision IS NOT NULL THEN maxima END
  )::{schema}.dt_spending;
END $$;
