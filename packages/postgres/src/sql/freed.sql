-- Which free tokens may be used in an epoch that runs already (R20). Port of @dt/core's freed.ts. No cost but time.

-- The newest epoch that any member may have begun: that of the group's time and its clock error (R6).
CREATE OR REPLACE FUNCTION {schema}.dt_newest_epoch(g {schema}.dt_ledger) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT floor((g.last_ms + greatest(g.clock_error_ms, g.ahead_until_ms - g.last_ms)) / g.interval_ms)::bigint $$;

-- True while no member is raised, and there is no agreement (R8).
CREATE OR REPLACE FUNCTION {schema}.dt_learning(g {schema}.dt_ledger) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT g.last_ms - g.lapsed_ms < g.learn_until_ms $$;

-- Takes all tokens for used in the newest epoch: where no report says better, and where the capacity has grown. A group
-- that learns does so at the end, for what was used by then.
CREATE OR REPLACE FUNCTION {schema}.dt_spend_all(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  IF {schema}.dt_learning(g) THEN
    RETURN g;
  END IF;
  -- greatest() and least() pass over a null.
  g.freed_epoch := greatest(g.freed_epoch, {schema}.dt_newest_epoch(g));
  g.spent := 1000000000000;
  RETURN g;
END $$;

-- While a group learns, no row says what was used. What it did not know, it takes for used once it has learned.
CREATE OR REPLACE FUNCTION {schema}.dt_settle(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  IF {schema}.dt_learning(g) THEN
    g.freed_epoch := NULL;
  ELSIF g.freed_epoch IS NULL THEN
    RETURN {schema}.dt_spend_all(g);
  END IF;
  RETURN g;
END $$;

-- A member gives up p_tokens and goes on with p_kept, after it used p_used in p_epoch. The first that it used were
-- those that it keeps; the rest of what it used is spent. Without a word of its use (nulls) everything that it gives up
-- is, in the newest epoch.
CREATE OR REPLACE FUNCTION {schema}.dt_free(g {schema}.dt_ledger, p_tokens bigint, p_kept bigint, p_epoch bigint, p_used bigint)
RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  freed_in bigint := least(p_epoch, {schema}.dt_newest_epoch(g));
  used_up bigint := CASE WHEN p_epoch IS NULL THEN p_tokens ELSE least(p_tokens, greatest(0, p_used - p_kept)) END;
BEGIN
  g.held := g.held - p_tokens;
  IF g.freed_epoch IS NULL OR freed_in < g.freed_epoch THEN
    RETURN g;
  END IF;
  IF freed_in > g.freed_epoch THEN
    g.spent := 0;
  END IF;
  g.freed_epoch := freed_in;
  g.spent := least(g.spent + used_up, 1000000000000);
  RETURN g;
END $$;

-- The free tokens that no member has used in freed_epoch.
CREATE OR REPLACE FUNCTION {schema}.dt_unspent(g {schema}.dt_ledger) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN g.freed_epoch IS NULL THEN 0 ELSE greatest(0, g.capacity - g.held - g.spent) END $$;

-- The capacity that members declare now (R6). A higher one counts from the next epoch.
CREATE OR REPLACE FUNCTION {schema}.dt_set_capacity(g {schema}.dt_ledger, p_capacity bigint) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  is_higher boolean := p_capacity > g.capacity;
BEGIN
  g.capacity := p_capacity;
  IF is_higher THEN
    RETURN {schema}.dt_spend_all(g);
  END IF;
  RETURN g;
END $$;
