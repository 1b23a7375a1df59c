-- The tables, in {schema}. Times are milliseconds. "Group time" and "liveness time" are those of @dt/core's ledger
-- (R2): group time is dt_clock_ms() plus offset_ms, liveness time is group time minus lapsed_ms.
--
-- A heartbeat updates one row of dt_ledger and one of dt_member, and no indexed column of either: with room in the page
-- (fillfactor) the update is HOT, touches no index, and its remains are pruned without a vacuum.
--
-- While an old transaction is open (a dump, a forgotten session), PostgreSQL has to keep every version of these rows,
-- and a search by an unchanging key walks over all of them: a sync of a large group becomes many times slower within a
-- minute. So the keys of both end in a turn that moves on now and then, and are searched from the newest: such a search
-- meets the versions since the last move only.
--
-- Searches name their index by the order they ask for, since sorting is switched off in the functions (enable_sort):
-- statistics that are a minute old must not lead the planner to an index in which a group is one long list.

-- Names of groups; a row never changes.
CREATE TABLE {schema}.dt_group (
  name text COLLATE "C" PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE
);

-- One row for each group: its lock, its clock and its aggregates, so that no sync reads a list of members.
CREATE TABLE {schema}.dt_ledger (
  group_id bigint NOT NULL,
  -- Moves on with every 256th write.
  turn bigint NOT NULL,
  writes bigint NOT NULL,
  generation bigint NOT NULL,
  pool_size bigint NOT NULL,
  held bigint NOT NULL,
  adopted bigint NOT NULL,
  capacity bigint NOT NULL,
  largest_pool_size bigint NOT NULL,
  interval_ms float8 NOT NULL,
  created_at_ms float8 NOT NULL,
  learn_until_ms float8 NOT NULL,
  last_ms float8 NOT NULL,
  offset_ms float8 NOT NULL,
  lapsed_ms float8 NOT NULL,
  quiet_limit_ms float8 NOT NULL,
  -- No member has a due_ms before this.
  swept_ms float8 NOT NULL,
  -- The dt_boot under which this row was last written.
  boot bigint NOT NULL,
  -- What listeners were last told.
  told_generation bigint NOT NULL,
  told_agreed boolean NOT NULL,
  -- How long the group is kept after its last sign of life, and until when on the server's clock; moved on twice a day
  -- at most.
  keep_ms float8 NOT NULL,
  keep_until_ms float8 NOT NULL,
  PRIMARY KEY (group_id, turn)
) WITH (fillfactor = 25);

CREATE INDEX dt_ledger_keep ON {schema}.dt_ledger (keep_until_ms);

CREATE TABLE {schema}.dt_member (
  group_id bigint NOT NULL,
  incarnation text COLLATE "C" NOT NULL,
  -- Moves on together with due_ms.
  turn bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  rank bigint NOT NULL,
  generation bigint NOT NULL,
  pool_size bigint NOT NULL,
  held bigint NOT NULL,
  max bigint NOT NULL,
  level float8,
  stale_after_ms float8 NOT NULL,
  resume_within_ms float8 NOT NULL,
  -- Liveness time at which the member counts as stale: moves with every heartbeat, and is in no index.
  expires_at_ms float8 NOT NULL,
  -- What expires_at_ms was when somebody last looked, so never after it: moves once per stale age, and is in an index.
  due_ms float8 NOT NULL,
  -- 'newcomer' before its first sync, then 'holder' of its id; 'fenced' once another incarnation is the holder (R3).
  standing text COLLATE "C" NOT NULL CHECK (standing IN ('newcomer', 'holder', 'fenced')),
  -- The generation that its registration made, negative for one that rejoined: the order of arrival among incarnations
  -- of one id.
  joined bigint NOT NULL,
  PRIMARY KEY (group_id, incarnation, turn)
) WITH (fillfactor = 50);

CREATE UNIQUE INDEX dt_member_holder ON {schema}.dt_member (group_id, id) WHERE standing = 'holder';
CREATE UNIQUE INDEX dt_member_rank ON {schema}.dt_member (group_id, rank);
CREATE INDEX dt_member_max ON {schema}.dt_member (group_id, max);
CREATE INDEX dt_member_due ON {schema}.dt_member (group_id, due_ms);

-- Last levels of members that are gone (R13).
CREATE TABLE {schema}.dt_level (
  group_id bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  level float8 NOT NULL,
  until_ms float8 NOT NULL,
  PRIMARY KEY (group_id, id)
);

CREATE INDEX dt_level_until ON {schema}.dt_level (group_id, until_ms);

-- One row with a random number. PostgreSQL empties an unlogged table when it recovers from a crash, and on a standby
-- that is promoted: a new number says that the last commits may be lost (see dt_recovered).
CREATE UNLOGGED TABLE {schema}.dt_boot (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  boot bigint NOT NULL DEFAULT floor(random() * 9007199254740991)::bigint
);

-- The answer to register and sync. interval_ms is set when the status is 'interval': the group runs with that one
-- (R14).
CREATE TYPE {schema}.dt_view AS (
  status text,
  store_time_ms float8,
  generation bigint,
  pool_size bigint,
  reported_pool_size bigint,
  rank bigint,
  held bigint,
  fair bigint,
  capacity bigint,
  group_age_ms float8,
  learning boolean,
  resume_level float8,
  interval_ms float8
);
