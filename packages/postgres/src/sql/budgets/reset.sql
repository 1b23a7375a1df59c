-- reset: forgets a budget whole (B11), however damaged it is. Nothing happens when there is no such budget.
-- Input  budget; longest wait for the budget's lock in milliseconds
-- Cost   what the budget has
CREATE OR REPLACE FUNCTION {schema}.dt_budget_reset(p_budget text, p_wait_ms integer) RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_budget_state := {schema}.dt_budget_lock(p_budget, p_wait_ms);
BEGIN
  IF s.budget_id IS NULL THEN
    IF NOT EXISTS (SELECT FROM {schema}.dt_budget WHERE name = p_budget) THEN
      RETURN;
    END IF;
    -- Its row is missing. A call that forgets a budget has its lock first.
    s := {schema}.dt_budget_open(p_budget, p_wait_ms);
  END IF;
  PERFORM {schema}.dt_budget_forget(s.budget_id);
  DELETE FROM {schema}.dt_budget WHERE id = s.budget_id;
  PERFORM {schema}.dt_durability(true);
END $$;
