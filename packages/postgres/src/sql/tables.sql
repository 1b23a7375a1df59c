-- The tables and types of groups, in {schema}. Times are milliseconds. "Group time" and "liveness time" are those of
-- @dt/core's ledger (R2): group time is dt_clock_ms() plus offset_ms, liveness time is group time minus lapsed_ms.
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
--
-- The constraints bound what a row may hold, whatever program writes it: no statement reads what is not finite, whole
-- or in range. NaN is larger than any number to PostgreSQL.

-- Which versions of the tables were made here. Of several processes that make them at the same time one creates this
-- table; the others fail there, and look again.
CREATE TABLE {schema}.dt_format (
  version integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now(),
  -- The oldest version whose processes work with this one as well.
  works_from integer NOT NULL
);

-- What is true of the data as a whole; one row.
CREATE TABLE {schema}.dt_data (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- The server's time since which the data was certainly not lost, in milliseconds: when the tables were made, or when
  -- one was emptied last.
  since_ms float8 NOT NULL,
  -- How often tables were emptied.
  losses bigint NOT NULL DEFAULT 0,
  -- Part of the names of channels: a program that may connect to the database may NOTIFY any channel, but has to know
  -- its name.
  hint_secret text NOT NULL DEFAULT md5(random()::text || random()::text || random()::text || random()::text),
  -- For how long the data was certainly whole, and a second (dt_proven_ms).
  lived_ms float8 NOT NULL DEFAULT 0,
  -- The server's time when that was last counted; null before the first time.
  looked_ms float8
);
INSERT INTO {schema}.dt_data (since_ms) VALUES (date_part('epoch', now()) * 1000);

-- One row with a random number. PostgreSQL empties an unlogged table when it recovers from a crash, and on a standby
-- that is promoted: a new number says that the last commits may be lost (see dt_recovered).
CREATE UNLOGGED TABLE {schema}.dt_boot (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  boot bigint NOT NULL DEFAULT floor(random() * 9007199254740991)::bigint
);

-- Names of groups; a row never changes.
CREATE TABLE {schema}.dt_group (
  name text COLLATE "C" PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE
);

-- True for a list of counts: want, members, want, members, ..., the smallest want first. Cost: O(different wants).
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

-- One row for each group: its lock, its clock and its aggregates, so that no sync reads a list of members.
CREATE TABLE {schema}.dt_ledger (
  group_id bigint NOT NULL,
  -- Moves on with every 256th write.
  turn bigint NOT NULL,
  writes bigint NOT NULL,
  generation bigint NOT NULL,
  member_count bigint NOT NULL,
  held bigint NOT NULL,
  adopted bigint NOT NULL,
  capacity bigint NOT NULL,
  largest_member_count bigint NOT NULL,
  interval_ms float8 NOT NULL,
  created_at_ms float8 NOT NULL,
  -- Group time from which learning counts: the creation, or earlier when the data is known to be older; the last
  -- repair.
  learn_from_ms float8 NOT NULL,
  learn_until_ms float8 NOT NULL,
  last_ms float8 NOT NULL,
  offset_ms float8 NOT NULL,
  lapsed_ms float8 NOT NULL,
  quiet_limit_ms float8 NOT NULL,
  -- The longest stale age of a live member; what it was last in an empty group.
  longest_stale_ms float8 NOT NULL,
  -- The largest clock error of a live member; 0 in an empty group.
  clock_error_ms float8 NOT NULL,
  -- The latest group time that a member that is gone may have thought it was when it went.
  ahead_until_ms float8 NOT NULL,
  -- How often the group was repaired. One that was learns for the longest stale age registered.
  repairs bigint NOT NULL,
  -- The newest epoch that tokens became free in (R20); null while that is not known.
  freed_epoch bigint,
  -- How many of the tokens that became free in that epoch were used in it before.
  spent bigint NOT NULL,
  -- How many members want how much (R21): want, members, want, members, ..., the smallest want first. Members that
  -- share evenly are not in it. It stays in the row's page.
  wants bigint[] NOT NULL,
  -- The copy of the limit record (R36): of which state it is, and its max; nulls where no member has stored.
  stored_revision bigint,
  stored_max bigint,
  -- Group time at which a member last got less than it is due (R22); null before the first.
  hungry_ms float8,
  -- Group time before which no member begins a call (R35); 0 before the first pause.
  paused_until_ms float8 NOT NULL DEFAULT 0,
  -- No member has a due_ms before this.
  swept_ms float8 NOT NULL,
  -- The dt_boot under which this row was last written.
  boot bigint NOT NULL,
  -- What listeners were last told.
  told_generation bigint NOT NULL,
  told_agreed boolean NOT NULL,
  told_paused_ms float8 NOT NULL DEFAULT 0,
  -- How long the group is kept after its last sign of life, and until when on the server's clock; moved on twice a day
  -- at most.
  keep_ms float8 NOT NULL,
  keep_until_ms float8 NOT NULL,
  PRIMARY KEY (group_id, turn),
  CONSTRAINT dt_ledger_tokens CHECK (
    member_count BETWEEN 0 AND 1000000000 AND adopted BETWEEN 0 AND member_count AND largest_member_count BETWEEN 0 AND 1000000000
    AND held BETWEEN 0 AND 9007199254740991 AND capacity BETWEEN 0 AND 9007199254740991
    AND generation BETWEEN 0 AND 9007199254740991 AND told_generation BETWEEN 0 AND 9007199254740991
    AND turn >= 0 AND writes >= 0 AND repairs >= 0
  ),
  CONSTRAINT dt_ledger_times CHECK (
    interval_ms BETWEEN 0 AND 1e12 AND quiet_limit_ms BETWEEN 0 AND 1e12 AND longest_stale_ms BETWEEN 0 AND 1e12
    AND clock_error_ms BETWEEN 0 AND 1e12 AND keep_ms BETWEEN 0 AND 1e13
    AND created_at_ms BETWEEN 0 AND 1e16 AND last_ms BETWEEN 0 AND 1e16 AND ahead_until_ms BETWEEN 0 AND 1e16
    AND learn_from_ms BETWEEN -1e16 AND 1e16 AND learn_until_ms BETWEEN -1e16 AND 1e16 AND offset_ms BETWEEN 0 AND 1e16
    AND lapsed_ms BETWEEN -1e16 AND 1e16 AND swept_ms <= 1e16 AND keep_until_ms BETWEEN 0 AND 1e16
  ),
  CONSTRAINT dt_ledger_freed CHECK (freed_epoch BETWEEN 0 AND 9007199254740991 AND spent BETWEEN 0 AND 1000000000000),
  CONSTRAINT dt_ledger_wants CHECK ({schema}.dt_wants_sound(wants)),
  CONSTRAINT dt_ledger_stored CHECK (
    (stored_revision IS NULL) = (stored_max IS NULL) AND abs(stored_revision) <= 9007199254740991 AND stored_max BETWEEN 1 AND 1000000000000
  ),
  CONSTRAINT dt_ledger_hungry CHECK (hungry_ms BETWEEN 0 AND 1e16),
  CONSTRAINT dt_ledger_paused CHECK (paused_until_ms BETWEEN 0 AND 1e16 AND told_paused_ms BETWEEN 0 AND 1e16)
) WITH (fillfactor = 25);
ALTER TABLE {schema}.dt_ledger ALTER COLUMN wants SET STORAGE MAIN;
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
  member_count bigint NOT NULL,
  held bigint NOT NULL,
  -- Null for one whose limit is the stored one (R36).
  max bigint,
  level float8,
  stale_after_ms float8 NOT NULL,
  clock_error_ms float8 NOT NULL,
  resume_within_ms float8 NOT NULL,
  -- Liveness time at which the member counts as stale: moves with every heartbeat, and is in no index.
  expires_at_ms float8 NOT NULL,
  -- What expires_at_ms was when a caller last looked, so never after it: moves once per stale age, and is in an index.
  due_ms float8 NOT NULL,
  -- 'newcomer' before its first sync, then 'holder' of its id; 'fenced' once another incarnation is the holder (R3).
  standing text COLLATE "C" NOT NULL CHECK (standing IN ('newcomer', 'holder', 'fenced')),
  -- The generation that its registration made, negative for one that rejoined: the order of arrival among incarnations
  -- of one id.
  joined bigint NOT NULL,
  -- Tokens that it could use per epoch, on the grid (R21); null for one that shares evenly.
  want bigint,
  -- True while it holds an odd token (R23).
  odd boolean NOT NULL,
  -- Group time at which it last gave one up, and until which it rests, 0 before the first; of one that shares evenly
  -- and holds one, until which its turn lasts.
  gave_up_ms float8 NOT NULL,
  rest_until_ms float8 NOT NULL,
  -- Its activity (R27): tokens that it granted in the last epoch that was over when it reported, and tokens that its
  -- callers waited for at that moment; nulls where it reports none.
  used bigint,
  waiting bigint,
  PRIMARY KEY (group_id, incarnation, turn),
  CONSTRAINT dt_member_tokens CHECK (
    held BETWEEN 0 AND 9007199254740991 AND max BETWEEN 1 AND 9007199254740991 AND (level IS NULL OR level BETWEEN 0 AND 1e300)
    AND seq BETWEEN 1 AND 9007199254740991 AND generation BETWEEN 0 AND 9007199254740991 AND member_count BETWEEN 0 AND 9007199254740991
    AND joined BETWEEN -9007199254740991 AND 9007199254740991 AND rank >= 0 AND turn >= 0
  ),
  CONSTRAINT dt_member_times CHECK (
    stale_after_ms BETWEEN 0 AND 1e12 AND clock_error_ms BETWEEN 0 AND 1e12 AND resume_within_ms BETWEEN 0 AND 1e12
    AND expires_at_ms BETWEEN -1e16 AND 2e16 AND due_ms BETWEEN -1e16 AND 2e16
  ),
  CONSTRAINT dt_member_demand CHECK (
    want BETWEEN 0 AND 2000000000000 AND gave_up_ms BETWEEN 0 AND 1e16 AND rest_until_ms BETWEEN 0 AND 1e300
  ),
  CONSTRAINT dt_member_activity CHECK (used BETWEEN 0 AND 1000000000000 AND waiting BETWEEN 0 AND 1000000000000)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX dt_member_holder ON {schema}.dt_member (group_id, id) WHERE standing = 'holder';
CREATE UNIQUE INDEX dt_member_rank ON {schema}.dt_member (group_id, rank);
CREATE INDEX dt_member_max ON {schema}.dt_member (group_id, max);
CREATE INDEX dt_member_due ON {schema}.dt_member (group_id, due_ms);

-- The queue of a semaphore (R28): a row for each member that reports slots. It only chooses to which member a free slot
-- goes: what a member holds is what dt_member says.
CREATE TABLE {schema}.dt_slot (
  group_id bigint NOT NULL,
  incarnation text COLLATE "C" NOT NULL,
  -- That of the group's row: the rows of a group move on together with it.
  turn bigint NOT NULL,
  -- Copies of the member's row, so that a look at the queue reads no other row.
  held bigint NOT NULL,
  want bigint NOT NULL,
  seq bigint NOT NULL,
  -- Slots that the first of its callers waits for.
  head bigint NOT NULL,
  -- Group time since which it is in the queue; null while it is not, 0 in the turn of a costly caller (R34).
  since_ms float8,
  -- What it lacked when the row was written, which decides which members come first: 0 slots to its need or the turn of
  -- a costly caller, 1 a turn with a slot above the water level, 2 nothing.
  tier integer NOT NULL,
  -- Group time of its last request.
  reported_ms float8 NOT NULL,
  -- Group time of the last hint with an offer since its last request (R30); null where there is none.
  offered_ms float8,
  -- Group time at which it was asked for slots since its last request, and for how many (R31); null where it was not.
  asked_ms float8,
  asked bigint NOT NULL,
  -- Group time since which it holds what it holds.
  held_since_ms float8 NOT NULL,
  PRIMARY KEY (group_id, turn, incarnation),
  CONSTRAINT dt_slot_tokens CHECK (
    held BETWEEN 0 AND 9007199254740991 AND want BETWEEN 0 AND 2000000000000 AND seq BETWEEN 1 AND 9007199254740991
    AND head BETWEEN 0 AND 1000000000000 AND asked BETWEEN 0 AND 9007199254740991 AND tier BETWEEN 0 AND 2
    AND turn >= 0
  ),
  CONSTRAINT dt_slot_times CHECK (
    since_ms BETWEEN 0 AND 1e16 AND reported_ms BETWEEN 0 AND 1e16 AND offered_ms BETWEEN 0 AND 1e16 AND asked_ms BETWEEN 0 AND 1e16
    AND held_since_ms BETWEEN 0 AND 1e16
  )
) WITH (fillfactor = 50);
CREATE INDEX dt_slot_since ON {schema}.dt_slot (group_id, turn, tier, since_ms, incarnation) WHERE since_ms IS NOT NULL;
CREATE INDEX dt_slot_held ON {schema}.dt_slot (group_id, turn, held DESC, incarnation);

-- How a capacity is divided by what members want (R21).
CREATE TYPE {schema}.dt_division AS (
  -- Whether they want more than there is.
  scarce boolean,
  -- The most that a member is due: the max-min water level where tokens are scarce, otherwise the capacity.
  water_level bigint,
  -- The least that each is due, whether it wants it or not.
  reserve bigint,
  -- What each gets on top where there is plenty.
  extra bigint,
  -- Tokens kept free for members that hold nothing: the float of the rules.
  kept bigint,
  -- What is left where there is plenty.
  spare bigint,
  -- Tokens that are left over above the water level, and how many members want one of them.
  odd bigint,
  takers bigint
);

-- A member of the queue.
CREATE TYPE {schema}.dt_queued AS (
  tier integer,
  since_ms float8,
  incarnation text COLLATE "C",
  held bigint,
  want bigint,
  seq bigint,
  head bigint,
  offered_ms float8,
  -- Slots that it lacks still.
  lacked bigint,
  -- True where this operation has raised it.
  raised boolean
);

-- The queue in its order, and the divisions that go for its members and for all others.
CREATE TYPE {schema}.dt_slot_queue AS (
  members {schema}.dt_queued[],
  -- The member whose costly caller has its turn (R34), or null.
  costly text COLLATE "C",
  -- The division that goes for that member, and the one for all others.
  own {schema}.dt_division,
  others {schema}.dt_division
);

-- Last levels of members that are gone (R13).
CREATE TABLE {schema}.dt_level (
  group_id bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  level float8 NOT NULL,
  until_ms float8 NOT NULL,
  PRIMARY KEY (group_id, id)
);
CREATE INDEX dt_level_until ON {schema}.dt_level (group_id, until_ms);

-- The answer to register and sync. From water_level to hungry: nulls for a member that shares evenly. From is_over to
-- turns: nulls for one that reports no slots. interval_ms is set when the status is 'interval': the group runs with
-- that one (R14). offered is not for the caller: slots that others were raised by.
CREATE TYPE {schema}.dt_view AS (
  status text,
  store_time_ms float8,
  generation bigint,
  member_count bigint,
  reported_member_count bigint,
  rank bigint,
  held bigint,
  entitled bigint,
  from_epoch bigint,
  early bigint,
  capacity bigint,
  clock_error_ms float8,
  group_age_ms float8,
  learning boolean,
  resume_level float8,
  water_level bigint,
  reserve bigint,
  extra bigint,
  odd boolean,
  tight boolean,
  hungry boolean,
  is_over boolean,
  wanted boolean,
  place bigint,
  turns bigint,
  interval_ms float8,
  paused_for_ms float8,
  offered bigint
);

-- Members live on when a table is emptied, and what they hold is not on record any more: groups that are new then learn
-- first (dt_create).
CREATE FUNCTION {schema}.dt_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {schema}.dt_data (since_ms, losses) VALUES ({schema}.dt_clock_ms(), 1)
    ON CONFLICT (only_row) DO UPDATE SET since_ms = excluded.since_ms, losses = {schema}.dt_data.losses + 1, lived_ms = 0, looked_ms = NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_group FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_ledger FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_member FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();
CREATE TRIGGER dt_emptied AFTER TRUNCATE ON {schema}.dt_data FOR EACH STATEMENT EXECUTE FUNCTION {schema}.dt_emptied();
