-- For how long the data was certainly whole, in milliseconds, whatever the server's clock did: a lower bound, for one
-- jump of the clock in a stale age. Nothing tells a jump from a silence, so that an interval read off the clock may be
-- too long: a loss of data, and then a jump, would pass for old data. So what counts is a sum of stretches between
-- operations, each up to a bound: a second at most between two groups that are made, and the liveness time of groups
-- that were made since, in which a jump counts as a quarter of a stale age. The sum is kept, since it outlives groups.
-- Where another call is at it just now, this one waits for nothing and notes nothing.
-- Cost: O(log n).
CREATE OR REPLACE FUNCTION {schema}.dt_proven_ms(p_clock_ms float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  stretch_ms CONSTANT float8 := 1000;
  data {schema}.dt_data;
  mine boolean;
  groups_ms float8;
BEGIN
  SELECT * INTO data FROM {schema}.dt_data WHERE only_row FOR UPDATE SKIP LOCKED;
  mine := FOUND;
  IF NOT mine THEN
    SELECT * INTO data FROM {schema}.dt_data WHERE only_row;
  END IF;
  -- Not null: least and greatest leave nulls out.
  data.lived_ms := data.lived_ms + greatest(0, least(p_clock_ms - coalesce(data.looked_ms, p_clock_ms), stretch_ms));
  -- Those that changed or were made last. Times of a member that is ahead, or from before the clock was set back, are
  -- in
  -- the offset; a millisecond is for rounding.
  SELECT max(last_ms - lapsed_ms - created_at_ms - greatest(0, longest_stale_ms * 0.25 - stretch_ms)) INTO groups_ms
    FROM (SELECT * FROM {schema}.dt_ledger ORDER BY keep_until_ms DESC LIMIT 5) l
    WHERE created_at_ms - offset_ms >= data.since_ms - 1;
  data.lived_ms := greatest(data.lived_ms, groups_ms);
  IF mine THEN
    UPDATE {schema}.dt_data SET lived_ms = data.lived_ms, looked_ms = p_clock_ms WHERE only_row;
  END IF;
  RETURN greatest(0, data.lived_ms - stretch_ms);
END $$;
