-- From version 3 to 4: answers say what a member is entitled to. The tables are locked as in step 3, so that no
-- statement meets this in the middle.
LOCK TABLE {schema}.dt_group, {schema}.dt_ledger, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;

-- At the end, where processes of version 3 do not look.
ALTER TYPE {schema}.dt_view ADD ATTRIBUTE entitled bigint, ADD ATTRIBUTE from_epoch bigint;
