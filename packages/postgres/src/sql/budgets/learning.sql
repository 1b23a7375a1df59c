-- How far the estimates of calls that run are off together. Port of @dt/core's budgets/learning.ts, in the same order
-- on doubles.

-- A product that may be as small as it comes: JavaScript rounds it to 0, where PostgreSQL refuses it as an underflow.
-- Both factors are then made larger by 2^540, which loses no digit, to see whether it is one.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_times(p_a float8, p_b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN (abs(p_a) < 1e-100 OR abs(p_b) < 1e-100) AND abs(p_a * 2::float8 ^ 540 * (p_b * 2::float8 ^ 540)) <= 32 THEN 0
    ELSE p_a * p_b
  END
$$;

-- What is left of an average after the time since.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_left(l {schema}.dt_budget_limit, p_now_ms float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS
  $$ SELECT greatest(0, 1 - (p_now_ms - l.learned_ms) / l.window_ms) $$;

-- Units of a limit that are kept free.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_margin(l {schema}.dt_budget_limit, p_now_ms float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  left_over float8 := {schema}.dt_budget_left(l, p_now_ms);
  variance float8 := {schema}.dt_budget_times(l.variance, left_over);
  surplus float8 := {schema}.dt_budget_times(l.surplus, left_over);
BEGIN
  RETURN least(l.max * 0.2::float8, greatest(0, 2 * sqrt(variance) - surplus - l.max / 480));
END $$;

-- Learns from one settlement.
CREATE OR REPLACE FUNCTION {schema}.dt_budget_learn(l {schema}.dt_budget_limit, p_error float8, p_ran_ms float8, p_now_ms float8)
RETURNS {schema}.dt_budget_limit LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  left_over float8 := {schema}.dt_budget_left(l, p_now_ms);
  weight float8 := least(greatest(0, p_ran_ms), l.window_ms) / l.window_ms;
  squared float8 := {schema}.dt_budget_times(p_error, p_error);
BEGIN
  l.surplus := {schema}.dt_budget_times(l.surplus, left_over) + {schema}.dt_budget_times(p_error, weight);
  l.variance := {schema}.dt_budget_times(l.variance, left_over) + {schema}.dt_budget_times(squared, weight);
  l.learned_ms := p_now_ms;
  RETURN l;
END $$;
