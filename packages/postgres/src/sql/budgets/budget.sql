-- A budget's row in dt_budget_state: its lock and clock; and its limits. Stands for BudgetTable of @dt/core.

-- Locks a budget until the end of the statement (B1) and gives its row; a row of nulls when there is no such budget.
-- Waits p_wait_ms at most, so that a statement whose caller has given up does not stay in the queue. Cost: two index
-- look-ups.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_lock(p_budget text, p_wait_ms integer) RETURNS {schema}.dt_budget_state LANGUAGE plpgsql AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
  s {schema}.dt_budget_state;
BEGIN
  SELECT * INTO s FROM {schema}.dt_budget_state WHERE budget_id = (SELECT id FROM {schema}.dt_budget WHERE name = p_budget)
    ORDER BY turn DESC LIMIT 1 FOR UPDATE;
  RETURN s;
END $$;

-- Refuses a row with a time beyond the year 30,000, or that is none: no store wrote it.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_check(s {schema}.dt_budget_state, p_budget text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (
    abs(s.last_ms) <= 1e15 AND abs(s.offset_ms) <= 1e15 AND abs(s.paused_until_ms) <= 1e15 AND abs(s.swept_ms) <= 1e15
    AND abs(s.needed_ms) <= 1e15 AND abs(s.keep_until_ms) <= 1e15
    AND (s.stored_revision IS NULL OR coalesce(
      cardinality(s.stored_names) = cardinality(s.stored_maxima) AND 0 < ALL (s.stored_maxima) AND 1e12 >= ALL (s.stored_maxima), false
    ))
  ) THEN
    RAISE EXCEPTION 'the row of budget % in dt_budget_state|a time that is none (last_ms %, offset_ms %, paused_until_ms %)',
      p_budget, s.last_ms, s.offset_ms, s.paused_until_ms USING ERRCODE = 'DT003';
  END IF;
END $$;

-- Advances the budget's time to the server's (B2): it never goes back.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_advance(s {schema}.dt_budget_state) RETURNS {schema}.dt_budget_state LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
BEGIN
  IF clock_ms + s.offset_ms < s.last_ms THEN
    s.offset_ms := s.last_ms - clock_ms;
  END IF;
  -- The sum may be rounded to less.
  s.last_ms := greatest(s.last_ms, clock_ms + s.offset_ms);
  RETURN s;
END $$;

-- Forgets leases whose time is over, a hundred at most, and once a second unless there are more; the others count as
-- forgotten. Cost: O(log n) for each.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_sweep(s {schema}.dt_budget_state) RETURNS {schema}.dt_budget_state LANGUAGE plpgsql AS $$
DECLARE
  gone bigint;
  last_gone_ms float8;
BEGIN
  IF s.last_ms - s.swept_ms < 1000 THEN
    RETURN s;
  END IF;
  WITH swept AS (
    DELETE FROM {schema}.dt_budget_lease WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM {schema}.dt_budget_lease
        WHERE budget_id = s.budget_id AND forget_at_ms >= s.swept_ms AND forget_at_ms <= s.last_ms ORDER BY forget_at_ms LIMIT 100
    )) RETURNING forget_at_ms
  ) SELECT count(*), max(forget_at_ms) INTO gone, last_gone_ms FROM swept;
  -- Where there are more the next call goes on.
  s.swept_ms := CASE WHEN gone < 100 THEN s.last_ms ELSE least(last_gone_ms, s.last_ms - 1000) END;
  RETURN s;
END $$;

-- Writes the budget's row and the limits that are not as they were; keeps the budget for a minute longer than it is
-- needed, which moves on once a minute at most.
-- p_before: the limits as they were. Cost: one HOT update, and one for each limit that is another.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_put(s {schema}.dt_budget_state, p_limits {schema}.dt_budget_limit[], p_before {schema}.dt_budget_limit[])
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  next_turn bigint := (s.writes + 1) / 256;
  l {schema}.dt_budget_limit;
BEGIN
  -- Terms bind for ten seconds more (B9).
  s.needed_ms := greatest(s.needed_ms, s.last_ms + 10000, s.paused_until_ms);
  FOREACH l IN ARRAY p_limits LOOP
    -- Until its window is empty, and what was learned is forgotten.
    s.needed_ms := greatest(s.needed_ms, greatest(s.last_ms, l.latest_ms) + 2 * l.window_ms);
    IF l.place > cardinality(p_before) THEN
      l.turn := next_turn;
      INSERT INTO {schema}.dt_budget_limit SELECT l.*;
    ELSIF next_turn <> s.turn OR l IS DISTINCT FROM p_before[l.place] THEN
      UPDATE {schema}.dt_budget_limit SET
        turn = next_turn, max = l.max, window_ms = l.window_ms, latest_ms = l.latest_ms, surplus = l.surplus, variance = l.variance,
        learned_ms = l.learned_ms, pace_ms = l.pace_ms, slots = l.slots, units = l.units
      WHERE budget_id = s.budget_id AND turn = s.turn AND place = l.place;
    END IF;
  END LOOP;
  IF s.keep_until_ms < s.needed_ms - s.offset_ms THEN
    s.keep_until_ms := s.needed_ms - s.offset_ms + 60000;
  END IF;
  UPDATE {schema}.dt_budget_state SET
    turn = next_turn, writes = s.writes + 1, last_ms = s.last_ms, offset_ms = s.offset_ms, paused_until_ms = s.paused_until_ms,
    swept_ms = s.swept_ms, needed_ms = s.needed_ms, keep_until_ms = s.keep_until_ms, terms = s.terms, former_terms = s.former_terms,
    stored_revision = s.stored_revision, stored_names = s.stored_names, stored_maxima = s.stored_maxima
  WHERE budget_id = s.budget_id AND turn = s.turn;
END $$;
