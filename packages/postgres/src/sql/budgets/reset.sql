-- reset: forgets a budget whole (B11), however damaged it is. Nothing happens when there is no such budget.
-- Input  budget; longest wait for the budget's lock in milliseconds
-- Cost   what the budget has
CREATE OR REPLACE FUNCTION {schema}.dt_budget_reset(p_budget text, p_wait_ms integer) RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_budget_state := {schema}.dt_budget_lock(p_budget, p_wait_ms);
  own_id bigint;
BEGIN
  -- The budget's row may be missing: then those wait here that would make it.
  SELECT id INTO own_id FROM {schema}.dt_budget WHERE name = p_budget FOR UPDATE;
  IF own_id IS NULL THEN
    RETURN;
  END IF;
  PERFORM {schema}.dt_budget_forget(own_id);
  DELETE FROM {schema}.dt_budget WHERE id = own_id;
  PERFORM {schema}.dt_durability(true);
END $$;
