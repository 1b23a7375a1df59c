-- From version 2 to 3. The tables that statements use are locked first, in the order in which statements do, so that
-- none meets this in the middle. New columns have defaults, and new parameters too, since processes of version 2 that
-- run go on.
LOCK TABLE {schema}.dt_group, {schema}.dt_ledger, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;

-- What is true of the data as a whole; one row.
CREATE TABLE {schema}.dt_data (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- The server's time since which the data was certainly not lost, in milliseconds: that of the first migration, or of
  -- the last time a table was emptied.
  since_ms float8 NOT NULL,
  -- How often tables were emptied.
  losses bigint NOT NULL DEFAULT 0,
  -- Part of the names of channels: whoever may connect to the database may NOTIFY any channel, but has to know its
  -- name.
  hint_secret text NOT NULL DEFAULT md5(random()::text || random()::text || random()::text || random()::text)
);
INSERT INTO {schema}.dt_data (since_ms) SELECT date_part('epoch', min(applied_at)) * 1000 FROM {schema}.dt_version;

-- Members live on when a table is emptied, and what they hold is not on record any more: groups that are new then learn
-- first (dt_create).
CREATE FUNCTION {schema}.dt_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {schema}.dt_data (since_ms, losses) VALUES ({schema}.dt_clock_ms(), 1)
    ON CONFLICT (only_row) DO UPDATE SET since_ms = excluded.since_ms, losses = {schema}.dt_data.losses + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_group FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_ledger FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_member FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_data FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();

ALTER TABLE {schema}.dt_ledger
  -- Group time from which learning counts: the creation, or earlier when the data is known to be older; the last
  -- repair.
  ADD COLUMN learn_from_ms float8 NOT NULL DEFAULT 0,
  -- The longest stale age of a live member; what it was last in an empty group.
  ADD COLUMN longest_stale_ms float8 NOT NULL DEFAULT 0,
  -- The largest clock error of a live member; 0 in an empty group.
  ADD COLUMN clock_error_ms float8 NOT NULL DEFAULT 0,
  -- The latest group time that a member that is gone may have thought it was when it went.
  ADD COLUMN ahead_until_ms float8 NOT NULL DEFAULT 0,
  -- How often the group was repaired. One that was learns for the longest stale age registered.
  ADD COLUMN repairs bigint NOT NULL DEFAULT 0;
ALTER TABLE {schema}.dt_member ADD COLUMN clock_error_ms float8 NOT NULL DEFAULT 0;
UPDATE {schema}.dt_ledger l SET learn_from_ms = l.created_at_ms, longest_stale_ms = greatest(
  4 * l.quiet_limit_ms, (SELECT max(m.stale_after_ms) FROM {schema}.dt_member m WHERE m.group_id = l.group_id)
);
ALTER TYPE {schema}.dt_view ADD ATTRIBUTE clock_error_ms float8;

-- What a row may hold, whoever writes it: no statement reads what is not finite, whole or in range. NaN is larger than
-- any number to PostgreSQL.
ALTER TABLE {schema}.dt_ledger
  ADD CONSTRAINT dt_ledger_tokens CHECK (
    pool_size BETWEEN 0 AND 1000000000 AND adopted BETWEEN 0 AND pool_size AND largest_pool_size BETWEEN 0 AND 1000000000
    AND held BETWEEN 0 AND 9007199254740991 AND capacity BETWEEN 0 AND 9007199254740991
    AND generation BETWEEN 0 AND 9007199254740991 AND told_generation BETWEEN 0 AND 9007199254740991
    AND turn >= 0 AND writes >= 0 AND repairs >= 0
  ),
  ADD CONSTRAINT dt_ledger_times CHECK (
    interval_ms BETWEEN 0 AND 1e12 AND quiet_limit_ms BETWEEN 0 AND 1e12 AND longest_stale_ms BETWEEN 0 AND 1e12
    AND clock_error_ms BETWEEN 0 AND 1e12 AND keep_ms BETWEEN 0 AND 1e13
    AND created_at_ms BETWEEN 0 AND 1e16 AND last_ms BETWEEN 0 AND 1e16 AND ahead_until_ms BETWEEN 0 AND 1e16
    AND learn_from_ms BETWEEN -1e16 AND 1e16 AND learn_until_ms BETWEEN -1e16 AND 1e16 AND offset_ms BETWEEN 0 AND 1e16
    AND lapsed_ms BETWEEN -1e16 AND 1e16 AND swept_ms <= 1e16 AND keep_until_ms BETWEEN 0 AND 1e16
  );
ALTER TABLE {schema}.dt_member
  ADD CONSTRAINT dt_member_tokens CHECK (
    held BETWEEN 0 AND 9007199254740991 AND max BETWEEN 1 AND 9007199254740991 AND (level IS NULL OR level BETWEEN 0 AND 1e300)
    AND seq BETWEEN 1 AND 9007199254740991 AND generation BETWEEN 0 AND 9007199254740991 AND pool_size BETWEEN 0 AND 9007199254740991
    AND joined BETWEEN -9007199254740991 AND 9007199254740991 AND rank >= 0 AND turn >= 0
  ),
  ADD CONSTRAINT dt_member_times CHECK (
    stale_after_ms BETWEEN 0 AND 1e12 AND clock_error_ms BETWEEN 0 AND 1e12 AND resume_within_ms BETWEEN 0 AND 1e12
    AND expires_at_ms BETWEEN -1e16 AND 2e16 AND due_ms BETWEEN -1e16 AND 2e16
  );

-- Has one parameter more now, with a default.
DROP FUNCTION IF EXISTS {schema}.dt_register(
  text, text, text, bigint, boolean, bigint, bigint, float8, float8, float8, float8, float8, float8, integer, text
);

-- What a key's users agree on, and what that took the place of; null where nobody has said any.
ALTER TABLE {schema}.dt_permit_state ADD terms text, ADD former_terms text;

-- The terms of the key, when the request was refused because it has others.
ALTER TYPE {schema}.dt_reservation ADD ATTRIBUTE other_terms text;

-- Those of version 2, which call it without terms, find the one with defaults.
DROP FUNCTION IF EXISTS {schema}.dt_reserve(text, text, integer, float8, float8, float8, float8, float8, float8, integer);
