-- What somebody else has done to the rows of a group (R18). The tables refuse values that cannot be; rows can be missing, and sums wrong, all the same.

-- Counts the members' rows before the membership changes: always in a group of up to 64, otherwise about once in 16 changes (generations are times, so
-- that their last digits are as good as chance). Cost: O(members) when it counts.
CREATE OR REPLACE FUNCTION {schema}.dt_recount(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  members bigint;
  tokens bigint;
BEGIN
  IF g.pool_size > 64 AND g.generation % 16 <> 0 THEN
    RETURN g;
  END IF;
  SELECT count(*), coalesce(sum(held), 0) INTO members, tokens FROM {schema}.dt_member WHERE group_id = g.group_id;
  IF members <> g.pool_size OR tokens <> g.held THEN
    g := {schema}.dt_mend(g);
  END IF;
  RETURN g;
END $$;

-- Sets everything in a group's row that follows from its members' rows, and makes their ranks dense. The group then learns for the longest stale age, since
-- there may be members that are on record no more (R8). The caller makes the new generation. Rare. Cost: O(members).
CREATE OR REPLACE FUNCTION {schema}.dt_mend(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  longest_before_ms float8 := g.longest_stale_ms;
BEGIN
  -- Out of each other's way first: ranks are unique at every moment.
  UPDATE {schema}.dt_member SET rank = rank + 1000000000 WHERE group_id = g.group_id;
  UPDATE {schema}.dt_member m SET rank = dense.rank
  FROM (SELECT incarnation, row_number() OVER (ORDER BY rank) - 1 AS rank FROM {schema}.dt_member WHERE group_id = g.group_id) dense
  WHERE m.group_id = g.group_id AND m.incarnation = dense.incarnation;
  SELECT count(*), coalesce(sum(held), 0) INTO g.pool_size, g.held FROM {schema}.dt_member WHERE group_id = g.group_id;
  g.adopted := 0;
  g.largest_pool_size := g.pool_size;
  g := {schema}.dt_declared(g);
  g.swept_ms := '-infinity';
  g.repairs := g.repairs + 1;
  g.learn_from_ms := g.last_ms - g.lapsed_ms;
  g.learn_until_ms := greatest(g.learn_until_ms, g.learn_from_ms + greatest(g.longest_stale_ms, longest_before_ms));
  RETURN g;
END $$;
