-- From version 6 to 7: members say what they do (R27). The tables are locked as in step 5, so that no statement meets
-- this in the middle. Processes of versions 3 to 6 go on: whatever they send runs the functions of this version, which
-- take their members for such as say nothing.
LOCK TABLE {schema}.dt_ledger, {schema}.dt_group, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;

-- Null where a member says nothing, so that rows are no longer there than they were: every heartbeat writes them.
ALTER TABLE {schema}.dt_member
  -- Tokens that it granted in the last epoch that was over when it reported.
  ADD COLUMN used bigint,
  -- Tokens that its callers waited for at that moment.
  ADD COLUMN waiting bigint,
  ADD CONSTRAINT dt_member_activity CHECK (used BETWEEN 0 AND 1000000000000 AND waiting BETWEEN 0 AND 1000000000000);

-- Have more parameters now. Processes of versions before call the first without, and find the one with defaults.
DROP FUNCTION IF EXISTS {schema}.dt_sync(
  text, text, bigint, bigint, bigint, bigint, bigint, float8, float8, integer, text, bigint, bigint, bigint, float8
);
DROP FUNCTION IF EXISTS {schema}.dt_accept_report(
  {schema}.dt_ledger, {schema}.dt_member, bigint, bigint, bigint, bigint, bigint, float8, bigint, bigint, bigint, float8, float8, text
);
-- Has two columns more.
DROP FUNCTION IF EXISTS {schema}.dt_inspect(text);
