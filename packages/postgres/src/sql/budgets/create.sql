-- Budgets that are new, and budgets of which another program has emptied a table.

-- Locks a budget, which it creates first if need be. Another one may create it, or forget it, at the same moment: then
-- it looks again, a few times and not for ever, since a statement goes on after its caller has given up. Cost: that of
-- dt_budget_lock, if the budget is there.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_open(p_budget text, p_wait_ms integer) RETURNS {schema}.dt_budget_state LANGUAGE plpgsql AS $$
DECLARE
  s {schema}.dt_budget_state;
BEGIN
  FOR attempt IN 1 .. 5 LOOP
    s := {schema}.dt_budget_lock(p_budget, p_wait_ms);
    IF s.budget_id IS NOT NULL THEN
      RETURN s;
    END IF;
    PERFORM {schema}.dt_budget_create(p_budget);
  END LOOP;
  RAISE EXCEPTION 'budget % was created, and was gone again, five times', p_budget USING ERRCODE = 'DT001';
END $$;

-- Creates a budget unless another call just did. A name without a row in dt_budget_state (that table was emptied) gets
-- a new one, and goes on with the limits and leases that are still known. Then forgets two budgets of which nothing is
-- to come, so that the dead never outnumber those in use. Cost: O(log n), and what the budgets forgotten had.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_create(p_budget text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  own_id bigint;
  known_turn bigint;
  known_until_ms float8;
  abandoned bigint;
BEGIN
  INSERT INTO {schema}.dt_budget (name) VALUES (p_budget) ON CONFLICT (name) DO NOTHING RETURNING id INTO own_id;
  IF own_id IS NOT NULL THEN
    -- Also a new id may have been another budget's: when dt_budget was emptied, and ids began anew.
    PERFORM {schema}.dt_budget_forget(own_id);
  ELSE
    IF EXISTS (SELECT FROM {schema}.dt_budget_state WHERE budget_id = (SELECT id FROM {schema}.dt_budget WHERE name = p_budget)) THEN
      RETURN;
    END IF;
    -- One at a time; a call that waited looks again.
    SELECT id INTO own_id FROM {schema}.dt_budget WHERE name = p_budget FOR UPDATE;
    IF own_id IS NULL OR EXISTS (SELECT FROM {schema}.dt_budget_state WHERE budget_id = own_id) THEN
      RETURN;
    END IF;
    SELECT max(turn) INTO known_turn FROM {schema}.dt_budget_limit WHERE budget_id = own_id;
    SELECT max(forget_at_ms) INTO known_until_ms FROM {schema}.dt_budget_lease WHERE budget_id = own_id;
  END IF;
  INSERT INTO {schema}.dt_budget_state (
    budget_id, turn, writes, last_ms, offset_ms, paused_until_ms, swept_ms, needed_ms, keep_until_ms
  ) VALUES (own_id, coalesce(known_turn, 0), coalesce(known_turn, 0) * 256, clock_ms, 0, 0, 0, coalesce(known_until_ms, 0), 0);
  -- Budgets that a call is using at this moment are not abandoned: no waiting for them.
  FOR abandoned IN
    SELECT budget_id FROM {schema}.dt_budget_state WHERE keep_until_ms < clock_ms AND budget_id <> own_id
    ORDER BY keep_until_ms LIMIT 2 FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM {schema}.dt_budget_forget(abandoned);
    DELETE FROM {schema}.dt_budget WHERE id = abandoned;
  END LOOP;
END $$;

-- Deletes everything of a budget but its name.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_forget(p_budget_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_budget_lease WHERE budget_id = p_budget_id;
  DELETE FROM {schema}.dt_budget_limit WHERE budget_id = p_budget_id;
  DELETE FROM {schema}.dt_budget_state WHERE budget_id = p_budget_id;
END $$;
