-- From version 4 to 5: tokens that became free start at once, as far as nobody has used them (R20). The tables are
-- locked first, in the order in which statements do (dt_lock begins with dt_ledger), so that none meets this in the
-- middle. Those that wait for it find functions gone, and are sent again.
LOCK TABLE {schema}.dt_ledger, {schema}.dt_group, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;

ALTER TABLE {schema}.dt_ledger
  -- The newest epoch that tokens became free in; null while that is not known.
  ADD COLUMN freed_epoch bigint,
  -- How many of the tokens that became free in that epoch were used in it before.
  ADD COLUMN spent bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT dt_ledger_freed CHECK (freed_epoch BETWEEN 0 AND 9007199254740991 AND spent BETWEEN 0 AND 1000000000000);

-- At the end, where processes of versions 3 and 4 do not look. start_epoch is what from_epoch was, which stays for
-- those of version 4: they refuse an epoch that has begun.
ALTER TYPE {schema}.dt_view ADD ATTRIBUTE early bigint, ADD ATTRIBUTE start_epoch bigint;

-- Have more parameters now. Processes of versions 3 and 4 call the first two without, and find the ones with defaults.
DROP FUNCTION IF EXISTS {schema}.dt_sync(text, text, bigint, bigint, bigint, bigint, bigint, float8, float8, integer, text);
DROP FUNCTION IF EXISTS {schema}.dt_deregister(text, text, float8, float8, integer, text);
DROP FUNCTION IF EXISTS {schema}.dt_accept_report(
  {schema}.dt_ledger, {schema}.dt_member, bigint, bigint, bigint, bigint, bigint, float8, float8, text
);
DROP FUNCTION IF EXISTS {schema}.dt_remove_member({schema}.dt_ledger, {schema}.dt_member);
DROP FUNCTION IF EXISTS {schema}.dt_open(text, float8, float8, float8, integer);
DROP FUNCTION IF EXISTS {schema}.dt_create(text, float8, float8, float8);
