-- From version 5 to 6: shares that follow demand (R21 to R25). The tables are locked as in step 5, so that no statement
-- meets this in the middle. Processes of versions 3 to 5 go on: whatever they send runs the functions of this version,
-- which take their members for such as share evenly. So the counts below are right from the first moment, whoever
-- writes.
LOCK TABLE {schema}.dt_ledger, {schema}.dt_group, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;

-- True for a list of counts: want, members, want, members, ..., the smallest want first; null for null. Cost:
-- O(different wants).
CREATE FUNCTION {schema}.dt_wants_sound(p_wants bigint[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  last_want bigint := -1;
BEGIN
  IF array_ndims(p_wants) <> 1 OR array_lower(p_wants, 1) <> 1 OR cardinality(p_wants) % 2 <> 0 THEN
    RETURN false;
  END IF;
  FOR i IN 1 .. cardinality(p_wants) BY 2 LOOP
    IF NOT coalesce(p_wants[i] > last_want AND p_wants[i] <= 2000000000000 AND p_wants[i + 1] BETWEEN 1 AND 1000000000, false) THEN
      RETURN false;
    END IF;
    last_want := p_wants[i];
  END LOOP;
  RETURN true;
END $$;

-- New columns are null where nobody shares by demand, so that rows are no longer there than they were: every heartbeat
-- writes them.
ALTER TABLE {schema}.dt_ledger
  -- How many members want how much: want, members, want, members, ..., the smallest want first. Whoever shares evenly
  -- is not in it.
  ADD COLUMN wants bigint[],
  -- Group time at which a member last got less than it is due; null before the first.
  ADD COLUMN hungry_ms float8,
  ADD CONSTRAINT dt_ledger_wants CHECK ({schema}.dt_wants_sound(wants)),
  ADD CONSTRAINT dt_ledger_hungry CHECK (hungry_ms BETWEEN 0 AND 1e16),
  -- What is in the row stays in its page.
  ALTER COLUMN wants SET STORAGE MAIN;

ALTER TABLE {schema}.dt_member
  -- Tokens that it could use per epoch, on the grid; null for one that shares evenly.
  ADD COLUMN want bigint,
  -- True while it holds an odd token.
  ADD COLUMN odd boolean,
  -- Group time at which it last gave one up, and until which it rests; null before the first.
  ADD COLUMN gave_up_ms float8,
  ADD COLUMN rest_until_ms float8,
  -- NaN is larger than any number to PostgreSQL.
  ADD CONSTRAINT dt_member_demand CHECK (
    want BETWEEN 0 AND 2000000000000 AND gave_up_ms BETWEEN 0 AND 1e16 AND rest_until_ms BETWEEN 0 AND 1e300
  );

-- At the end, where processes of versions before do not look; nulls for who shares evenly.
ALTER TYPE {schema}.dt_view
  ADD ATTRIBUTE level bigint, ADD ATTRIBUTE reserve bigint, ADD ATTRIBUTE extra bigint,
  ADD ATTRIBUTE odd boolean, ADD ATTRIBUTE tight boolean, ADD ATTRIBUTE hungry boolean;

-- How a capacity is divided by what members want (R21).
CREATE TYPE {schema}.dt_water AS (
  -- Whether they want more than there is.
  scarce boolean,
  -- The most that a member is due: the max-min level where tokens are scarce, otherwise the capacity.
  level bigint,
  -- The least that each is due, whether it wants it or not.
  reserve bigint,
  -- What each gets on top where there is plenty.
  extra bigint,
  -- Tokens kept free for members that hold nothing: the float of the rules.
  kept bigint,
  -- What is left where there is plenty.
  spare bigint,
  -- Tokens that are left over above the level, and how many members want one of them.
  odd bigint,
  takers bigint
);

-- Have more parameters now. Processes of versions before call the first two without, and find the ones with defaults.
DROP FUNCTION IF EXISTS {schema}.dt_register(
  text, text, text, bigint, boolean, bigint, bigint, float8, float8, float8, float8, float8, float8, integer, text, float8
);
DROP FUNCTION IF EXISTS {schema}.dt_sync(
  text, text, bigint, bigint, bigint, bigint, bigint, float8, float8, integer, text, bigint, bigint
);
DROP FUNCTION IF EXISTS {schema}.dt_accept_report(
  {schema}.dt_ledger, {schema}.dt_member, bigint, bigint, bigint, bigint, bigint, float8, bigint, bigint, float8, text
);
DROP FUNCTION IF EXISTS {schema}.dt_answer({schema}.dt_ledger, {schema}.dt_member, bigint, bigint, float8, text);
-- Has a column more.
DROP FUNCTION IF EXISTS {schema}.dt_inspect(text);
