-- Version 1 as it was, functions included: before permits.
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
  -- How long the group is kept after its last sign of life, and until when on the server's clock; moved on once per
  -- half of it.
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
-- A group's row in dt_ledger: its lock, clock and generation. Ports of @dt/core's group-clock.ts and of parts of its
-- ledger.ts.

-- The server's clock in milliseconds, with microseconds as fractions. Not now(), which is when the transaction began:
-- time is taken once the group is locked, or that of a caller who waited would go back. Tests replace this function.
CREATE FUNCTION {schema}.dt_clock_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
  $$ SELECT date_part('epoch', clock_timestamp()) * 1000 $$;

-- Locks a group until the end of the statement (R1) and gives its row; a row of nulls when there is no such group.
-- Waits p_wait_ms at most, so that a statement whose caller has given up does not stay in the queue. Cost: two index
-- look-ups.
CREATE FUNCTION {schema}.dt_lock(p_group text, p_wait_ms integer) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
  g {schema}.dt_ledger;
BEGIN
  SELECT * INTO g FROM {schema}.dt_ledger WHERE group_id = (SELECT id FROM {schema}.dt_group WHERE name = p_group)
    ORDER BY turn DESC LIMIT 1 FOR UPDATE;
  RETURN g;
END $$;

-- Advances the group's clock to the server's (R2): it never goes back, and is p_observed_ms at least; a quiet stretch
-- longer than quiet_limit_ms counts as that much silence.
CREATE FUNCTION {schema}.dt_advance(g {schema}.dt_ledger, p_observed_ms float8) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  floor_ms float8 := greatest(g.last_ms, p_observed_ms);
  shown_ms float8 := greatest(g.last_ms, clock_ms + g.offset_ms);
  now_ms float8;
  quiet_ms float8;
BEGIN
  IF clock_ms + g.offset_ms < floor_ms THEN
    g.offset_ms := floor_ms - clock_ms;
  END IF;
  -- The sum may be rounded to less than the floor.
  now_ms := greatest(floor_ms, clock_ms + g.offset_ms);
  -- What a caller has observed corrects the time; it is no time that passed.
  g.lapsed_ms := g.lapsed_ms + (now_ms - shown_ms);
  quiet_ms := shown_ms - g.last_ms;
  IF quiet_ms > g.quiet_limit_ms THEN
    g.lapsed_ms := g.lapsed_ms + (quiet_ms - g.quiet_limit_ms);
  END IF;
  g.last_ms := now_ms;
  RETURN g;
END $$;

-- A new generation (R5).
CREATE FUNCTION {schema}.dt_next_generation(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  g.generation := greatest(g.generation + 1, floor(g.last_ms)::bigint);
  g.adopted := 0;
  RETURN g;
END $$;

-- A member's row; a row of nulls when there is no such member. Cost: one index look-up.
CREATE FUNCTION {schema}.dt_find_member(p_group_id bigint, p_incarnation text) RETURNS {schema}.dt_member LANGUAGE plpgsql AS $$
DECLARE
  m {schema}.dt_member;
BEGIN
  SELECT * INTO m FROM {schema}.dt_member WHERE group_id = p_group_id AND incarnation = p_incarnation
    ORDER BY turn DESC LIMIT 1;
  RETURN m;
END $$;

-- Where a member's row is: the key for its updates and its end. Nobody moves it while the group is locked. Cost: one
-- index look-up.
CREATE FUNCTION {schema}.dt_place(p_group_id bigint, p_incarnation text) RETURNS tid LANGUAGE plpgsql AS $$
DECLARE
  place tid;
BEGIN
  SELECT ctid INTO place FROM {schema}.dt_member WHERE group_id = p_group_id AND incarnation = p_incarnation
    ORDER BY turn DESC LIMIT 1;
  RETURN place;
END $$;

-- The member that is the holder of an id (R3); a row of nulls when there is none. Cost: one index look-up.
CREATE FUNCTION {schema}.dt_holder(p_group_id bigint, p_id text) RETURNS {schema}.dt_member LANGUAGE plpgsql AS $$
DECLARE
  m {schema}.dt_member;
BEGIN
  SELECT * INTO m FROM {schema}.dt_member WHERE group_id = p_group_id AND id >= p_id AND id <= p_id AND standing = 'holder'
    ORDER BY id LIMIT 1;
  RETURN m;
END $$;

-- The smallest max of a member (R6); 0 without members. Cost: one index look-up.
CREATE FUNCTION {schema}.dt_smallest_max(p_group_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  smallest bigint;
BEGIN
  SELECT max INTO smallest FROM {schema}.dt_member WHERE group_id = p_group_id ORDER BY max LIMIT 1;
  RETURN coalesce(smallest, 0);
END $$;

-- Writes the group's row, and tells listeners on p_channel (unless it is null) of a new generation or an agreement.
-- Whatever changed since listeners were last told counts, also if it was somebody without a channel who changed it.
-- Cost: one HOT update.
CREATE FUNCTION {schema}.dt_put(g {schema}.dt_ledger, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  agreed boolean := g.adopted = g.pool_size;
  clock_ms float8 := g.last_ms - g.offset_ms;
BEGIN
  IF p_channel IS NOT NULL AND (g.generation <> g.told_generation OR agreed AND NOT g.told_agreed) THEN
    PERFORM pg_notify(p_channel, '');
    g.told_generation := g.generation;
    g.told_agreed := agreed;
  END IF;
  IF g.keep_until_ms < clock_ms + g.keep_ms / 2 THEN
    g.keep_until_ms := clock_ms + g.keep_ms;
  END IF;
  UPDATE {schema}.dt_ledger SET
    turn = (g.writes + 1) / 256, writes = g.writes + 1, generation = g.generation, pool_size = g.pool_size, held = g.held,
    adopted = g.adopted, capacity = g.capacity, largest_pool_size = g.largest_pool_size, interval_ms = g.interval_ms,
    learn_until_ms = g.learn_until_ms, last_ms = g.last_ms, offset_ms = g.offset_ms, lapsed_ms = g.lapsed_ms,
    quiet_limit_ms = g.quiet_limit_ms, swept_ms = g.swept_ms, boot = g.boot, told_generation = g.told_generation,
    told_agreed = g.told_agreed, keep_ms = g.keep_ms, keep_until_ms = g.keep_until_ms
  WHERE group_id = g.group_id AND turn = g.turn;
END $$;
-- Members that leave or go stale. Port of the removal part of @dt/core's ledger.ts.

-- Remembers a member's last level (R13), and forgets levels whose time is over. Cost: O(log n + forgotten).
CREATE FUNCTION {schema}.dt_remember_level(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF m.resume_within_ms <= 0 OR m.level IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM {schema}.dt_level WHERE group_id = g.group_id AND until_ms <= g.last_ms;
  INSERT INTO {schema}.dt_level (group_id, id, level, until_ms) VALUES (g.group_id, m.id, m.level, g.last_ms + m.resume_within_ms)
    ON CONFLICT (group_id, id) DO UPDATE SET level = excluded.level, until_ms = excluded.until_ms;
END $$;

-- Takes a member out; the one with the last rank moves into the vacant rank, so that ranks stay dense (R10). The caller
-- makes the new generation. Cost: O(log n).
CREATE FUNCTION {schema}.dt_remove_member(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_member WHERE ctid = (SELECT {schema}.dt_place(g.group_id, m.incarnation));
  UPDATE {schema}.dt_member SET rank = m.rank WHERE ctid = (
    SELECT ctid FROM {schema}.dt_member WHERE group_id = g.group_id AND rank >= g.pool_size - 1 ORDER BY rank LIMIT 1
  );
  g.pool_size := g.pool_size - 1;
  g.held := g.held - m.held;
  PERFORM {schema}.dt_remember_level(g, m);
  RETURN g;
END $$;

-- Removes stale members, never the caller (R4); looks at 1,000 members at most, those that are due first.
-- Whoever is due but has been heard of since is only made due later. That keeps due_ms an old value of expires_at_ms,
-- and every member is looked at once per stale age. swept_ms keeps the index scan from walking over entries of the past
-- that no vacuum has removed yet.
-- Cost: one index look-up when nobody is due.
CREATE FUNCTION {schema}.dt_remove_stale(g {schema}.dt_ledger, p_caller text) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  current_boot bigint;
  next_due_ms float8;
  live_ms float8;
  due record;
  looked_at integer := 0;
  removed boolean := false;
  swept_to_ms float8 := '-infinity';
  caller_due_ms float8 := 'infinity';
BEGIN
  SELECT
    (SELECT boot FROM {schema}.dt_boot WHERE only_row),
    (SELECT due_ms FROM {schema}.dt_member WHERE group_id = g.group_id AND due_ms >= g.swept_ms ORDER BY due_ms LIMIT 1)
    INTO current_boot, next_due_ms;
  IF current_boot IS DISTINCT FROM g.boot THEN
    g := {schema}.dt_recovered(g);
  END IF;
  live_ms := g.last_ms - g.lapsed_ms;
  IF next_due_ms IS NULL OR next_due_ms > live_ms THEN
    RETURN g;
  END IF;
  FOR due IN
    SELECT * FROM (
      SELECT incarnation, due_ms, expires_at_ms FROM {schema}.dt_member
      WHERE group_id = g.group_id AND due_ms >= g.swept_ms AND due_ms <= live_ms ORDER BY due_ms LIMIT 1000
    ) first_due ORDER BY expires_at_ms, incarnation
  LOOP
    looked_at := looked_at + 1;
    swept_to_ms := greatest(swept_to_ms, due.due_ms);
    IF due.expires_at_ms > live_ms THEN
      UPDATE {schema}.dt_member SET due_ms = expires_at_ms, turn = turn + 1
      WHERE ctid = (SELECT {schema}.dt_place(g.group_id, due.incarnation));
    ELSIF due.incarnation = p_caller THEN
      caller_due_ms := due.due_ms;
    ELSE
      -- Read again: an earlier removal may have moved it to another rank.
      g := {schema}.dt_remove_member(g, {schema}.dt_find_member(g.group_id, due.incarnation));
      removed := true;
    END IF;
  END LOOP;
  IF looked_at < 1000 THEN
    swept_to_ms := live_ms;
  END IF;
  g.swept_ms := least(swept_to_ms, caller_due_ms);
  IF removed THEN
    g.capacity := {schema}.dt_smallest_max(g.group_id);
    g := {schema}.dt_next_generation(g);
  END IF;
  RETURN g;
END $$;

-- After a crash of the server the last heartbeats may be missing, since they are committed without waiting for the disk
-- (dt_durability). What is missing is the end of the group's history, so it looks like a quiet stretch, of which little
-- counts; but whoever was heard in it was last heard before, as far as is recorded. Nobody may be removed for that:
-- everybody is given another stale age of silence, which in a group younger than that means silence since its creation.
-- Rare. Cost: one index look-up.
CREATE FUNCTION {schema}.dt_recovered(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  age_ms float8 := g.last_ms - g.lapsed_ms - g.created_at_ms;
BEGIN
  INSERT INTO {schema}.dt_boot DEFAULT VALUES ON CONFLICT DO NOTHING;
  SELECT boot INTO g.boot FROM {schema}.dt_boot WHERE only_row;
  g.lapsed_ms := g.lapsed_ms + least(4 * g.quiet_limit_ms, greatest(age_ms, 0));
  -- Liveness time went back: members that join now may be due before what was swept.
  g.swept_ms := '-infinity';
  RETURN g;
END $$;
-- What a member is answered. Port of adopt, acceptReport and answer of @dt/core's ledger.ts.

-- Records that the member has adopted the current generation, once, if it names it and holds no more than fair (R9);
-- raises what it holds as far as the rules allow (R7, R8, R9); writes both rows; answers.
-- p_generation: the generation that the member has adopted, 0 for none. Cost: two HOT updates.
CREATE FUNCTION {schema}.dt_answer(
  g {schema}.dt_ledger, m {schema}.dt_member, p_generation bigint, p_pool_size bigint, p_resume_level float8, p_channel text
) RETURNS {schema}.dt_view LANGUAGE plpgsql AS $$
DECLARE
  fair bigint := g.capacity / g.pool_size;
  learning boolean := g.last_ms - g.lapsed_ms < g.learn_until_ms;
  agree boolean;
  raised bigint := 0;
  v {schema}.dt_view;
BEGIN
  IF p_generation = g.generation AND m.generation <> p_generation AND m.held <= fair THEN
    m.generation := p_generation;
    m.pool_size := p_pool_size;
    g.adopted := g.adopted + 1;
    g.largest_pool_size := greatest(g.largest_pool_size, p_pool_size);
  END IF;
  agree := NOT learning AND g.adopted = g.pool_size;
  IF agree THEN
    g.largest_pool_size := g.pool_size;
    raised := (g.capacity + g.pool_size - 1) / g.pool_size - m.held;
  ELSIF NOT learning AND m.held < fair THEN
    raised := least(g.capacity - g.held, fair - m.held);
  END IF;
  IF raised > 0 THEN
    m.held := m.held + raised;
    g.held := g.held + raised;
  END IF;
  UPDATE {schema}.dt_member SET
    seq = m.seq, generation = m.generation, pool_size = m.pool_size, held = m.held, max = m.max, level = m.level,
    expires_at_ms = m.expires_at_ms
  -- As dt_place does, without the call.
  WHERE ctid = (
    SELECT ctid FROM {schema}.dt_member WHERE group_id = m.group_id AND incarnation = m.incarnation ORDER BY turn DESC LIMIT 1
  );
  PERFORM {schema}.dt_put(g, p_channel);
  v.status := CASE WHEN agree THEN 'agree' ELSE 'disagree' END;
  v.store_time_ms := g.last_ms;
  v.generation := g.generation;
  v.pool_size := g.pool_size;
  v.reported_pool_size := g.largest_pool_size;
  v.rank := m.rank;
  v.held := m.held;
  v.fair := fair;
  v.capacity := g.capacity;
  v.group_age_ms := g.last_ms - g.created_at_ms;
  v.learning := learning;
  v.resume_level := p_resume_level;
  RETURN v;
END $$;

-- Heartbeat, capacity and lowering (R4, R6, R7), unless the request is a repeat (R11); then the answer.
CREATE FUNCTION {schema}.dt_accept_report(
  g {schema}.dt_ledger, m {schema}.dt_member, p_seq bigint, p_generation bigint, p_pool_size bigint, p_held bigint, p_max bigint,
  p_level float8, p_resume_level float8, p_channel text
) RETURNS {schema}.dt_view LANGUAGE plpgsql AS $$
DECLARE
  smallest bigint;
BEGIN
  IF p_seq <= m.seq THEN
    RETURN {schema}.dt_answer(g, m, 0, 0, p_resume_level, p_channel);
  END IF;
  m.seq := p_seq;
  m.level := p_level;
  m.expires_at_ms := g.last_ms - g.lapsed_ms + m.stale_after_ms;
  IF p_max <> m.max THEN
    m.max := p_max;
    UPDATE {schema}.dt_member SET max = p_max
    WHERE ctid = (SELECT {schema}.dt_place(m.group_id, m.incarnation));
    smallest := {schema}.dt_smallest_max(g.group_id);
    IF smallest <> g.capacity THEN
      g.capacity := smallest;
      g := {schema}.dt_next_generation(g);
    END IF;
  END IF;
  IF p_held < m.held THEN
    g.held := g.held - (m.held - p_held);
    m.held := p_held;
  END IF;
  g.largest_pool_size := greatest(g.largest_pool_size, p_pool_size);
  RETURN {schema}.dt_answer(g, m, p_generation, p_pool_size, p_resume_level, p_channel);
END $$;
-- Whether this statement's commit waits for the disk. The group stays locked while it waits, so a group could take only
-- one heartbeat per flush otherwise. What the promise rests on (raises, memberships, generations) does wait, also where
-- the server's default is not to. Losing anything else is safe: it is lost in order, so nothing that waited depends on
-- it; a lowering that is lost leaves more recorded as held than is in use; heartbeats that are lost are made up for by
-- dt_recovered.
CREATE FUNCTION {schema}.dt_durability(p_durable boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ignored text;
BEGIN
  IF NOT p_durable THEN
    ignored := set_config('synchronous_commit', 'off', true);
  ELSIF current_setting('synchronous_commit') = 'off' THEN
    ignored := set_config('synchronous_commit', 'on', true);
  END IF;
END $$;
-- register: a member joins, or claims its place again.
-- Input  group, incarnation, id, seq, rejoin, claim, max; interval, stale age, learning in milliseconds; level or null;
--        resume within and observed store time in milliseconds; longest wait for the group's lock in milliseconds;
--        channel to notify, or null
-- Output a view; 'fenced' with the store's time only; 'interval' with the interval that the group runs with (R14)
-- Cost   O(log n); O(removed * log n) more when members went stale
CREATE FUNCTION {schema}.dt_register(
  p_group text, p_incarnation text, p_id text, p_seq bigint, p_rejoin boolean, p_claim bigint, p_max bigint, p_interval_ms float8,
  p_stale_after_ms float8, p_learning_ms float8, p_level float8, p_resume_within_ms float8, p_observed_ms float8,
  p_wait_ms integer, p_channel text
) RETURNS {schema}.dt_view LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  known {schema}.dt_member;
  holder {schema}.dt_member;
  m {schema}.dt_member;
  v {schema}.dt_view;
  resume_level float8;
BEGIN
  PERFORM {schema}.dt_durability(true);
  g := {schema}.dt_lock(p_group, p_wait_ms);
  WHILE g.group_id IS NULL LOOP
    -- Another one may create it, or forget it, at the same moment: then look again.
    PERFORM {schema}.dt_create(p_group, p_interval_ms, p_stale_after_ms, p_observed_ms);
    g := {schema}.dt_lock(p_group, p_wait_ms);
  END LOOP;
  g := {schema}.dt_remove_stale({schema}.dt_advance(g, p_observed_ms), p_incarnation);
  known := {schema}.dt_find_member(g.group_id, p_incarnation);
  IF g.interval_ms <> p_interval_ms AND g.pool_size > (known.incarnation IS NOT NULL)::integer THEN
    PERFORM {schema}.dt_put(g, p_channel);
    v.status := 'interval';
    v.store_time_ms := g.last_ms;
    v.interval_ms := g.interval_ms;
    RETURN v;
  END IF;
  g.interval_ms := p_interval_ms;
  g.quiet_limit_ms := least(g.quiet_limit_ms, p_stale_after_ms * 0.25);
  g.learn_until_ms := greatest(g.learn_until_ms, g.created_at_ms + p_learning_ms);
  -- A day after the last sign of life nobody is left, and no level is remembered.
  g.keep_ms := greatest(g.keep_ms, 86400000 + 2 * p_stale_after_ms + p_resume_within_ms);

  holder := {schema}.dt_holder(g.group_id, p_id);
  IF known.standing = 'fenced' OR p_rejoin AND holder.incarnation <> p_incarnation THEN
    PERFORM {schema}.dt_put(g, p_channel);
    v.status := 'fenced';
    v.store_time_ms := g.last_ms;
    RETURN v;
  END IF;
  -- The level of the id's holder, which a restart replaces, or the one remembered of it (R13).
  IF holder.incarnation <> p_incarnation AND holder.resume_within_ms > 0 AND holder.level IS NOT NULL THEN
    resume_level := holder.level;
  ELSE
    SELECT level INTO resume_level FROM {schema}.dt_level WHERE group_id = g.group_id AND id = p_id AND until_ms > g.last_ms;
  END IF;
  IF known.incarnation IS NOT NULL THEN
    RETURN {schema}.dt_accept_report(g, known, p_seq, 0, 0, p_claim, p_max, p_level, resume_level, p_channel);
  END IF;
  g.pool_size := g.pool_size + 1;
  g.held := g.held + p_claim;
  g.capacity := CASE WHEN g.pool_size = 1 THEN p_max ELSE least(g.capacity, p_max) END;
  g := {schema}.dt_next_generation(g);
  INSERT INTO {schema}.dt_member (
    group_id, incarnation, turn, id, seq, rank, generation, pool_size, held, max, level, stale_after_ms, resume_within_ms, expires_at_ms, due_ms,
    standing, joined
  ) VALUES (
    g.group_id, p_incarnation, 0, p_id, p_seq, g.pool_size - 1, 0, 0, p_claim, p_max, p_level, p_stale_after_ms, p_resume_within_ms,
    g.last_ms - g.lapsed_ms + p_stale_after_ms, g.last_ms - g.lapsed_ms + p_stale_after_ms,
    'newcomer', CASE WHEN p_rejoin THEN -g.generation ELSE g.generation END
  ) RETURNING * INTO m;
  RETURN {schema}.dt_answer(g, m, g.generation, g.pool_size, resume_level, p_channel);
END $$;

-- Creates a group unless somebody else just did, and forgets two abandoned ones, so that the dead never outnumber those
-- that were alive.
-- Cost: O(log n), and the members of the groups forgotten.
CREATE FUNCTION {schema}.dt_create(p_group text, p_interval_ms float8, p_stale_after_ms float8, p_observed_ms float8)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  now_ms float8 := greatest(clock_ms, p_observed_ms);
  new_id bigint;
  abandoned bigint;
BEGIN
  INSERT INTO {schema}.dt_group (name) VALUES (p_group) ON CONFLICT (name) DO NOTHING RETURNING id INTO new_id;
  IF new_id IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO {schema}.dt_boot DEFAULT VALUES ON CONFLICT DO NOTHING;
  INSERT INTO {schema}.dt_ledger (
    group_id, turn, writes, generation, pool_size, held, adopted, capacity, largest_pool_size, interval_ms, created_at_ms,
    learn_until_ms, last_ms, offset_ms, lapsed_ms, quiet_limit_ms, swept_ms, boot, told_generation, told_agreed, keep_ms, keep_until_ms
  ) VALUES (
    new_id, 0, 0, 0, 0, 0, 0, 0, 0, p_interval_ms, now_ms,
    now_ms, now_ms, now_ms - clock_ms, 0, p_stale_after_ms * 0.25, 0, (SELECT boot FROM {schema}.dt_boot WHERE only_row), 0, true, 0, clock_ms
  );
  -- Groups that somebody is using at this moment are not abandoned: no waiting for them.
  FOR abandoned IN
    SELECT group_id FROM {schema}.dt_ledger WHERE keep_until_ms < clock_ms ORDER BY keep_until_ms LIMIT 2 FOR UPDATE SKIP LOCKED
  LOOP
    DELETE FROM {schema}.dt_member WHERE group_id = abandoned;
    DELETE FROM {schema}.dt_level WHERE group_id = abandoned;
    DELETE FROM {schema}.dt_ledger WHERE group_id = abandoned;
    DELETE FROM {schema}.dt_group WHERE id = abandoned;
  END LOOP;
END $$;
-- sync: heartbeat and report (the only call in steady state).
-- Input  group, incarnation, seq, generation adopted, its pool size, held, max, level or null; observed store time and
--        longest wait for the group's lock in milliseconds; channel to notify, or null
-- Output a view; 'unknown' and 'fenced' with the store's time only
-- Cost   O(log n): two look-ups by key, one in the index of due members, two HOT updates. O(removed * log n) more when
--        members went stale
CREATE FUNCTION {schema}.dt_sync(
  p_group text, p_incarnation text, p_seq bigint, p_generation bigint, p_pool_size bigint, p_held bigint, p_max bigint, p_level float8,
  p_observed_ms float8, p_wait_ms integer, p_channel text
) RETURNS {schema}.dt_view LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger := {schema}.dt_lock(p_group, p_wait_ms);
  m {schema}.dt_member;
  v {schema}.dt_view;
  generation_before bigint := g.generation;
  offset_before_ms float8 := g.offset_ms;
  held_before bigint;
  newcomer boolean;
BEGIN
  IF g.group_id IS NULL THEN
    v.status := 'unknown';
    v.store_time_ms := {schema}.dt_clock_ms();
    RETURN v;
  END IF;
  g := {schema}.dt_remove_stale({schema}.dt_advance(g, p_observed_ms), p_incarnation);
  m := {schema}.dt_find_member(g.group_id, p_incarnation);
  -- A sync from before the registration that arrived is a late message of a process that died.
  newcomer := m.standing = 'newcomer' AND p_generation >= abs(m.joined);
  IF newcomer THEN
    m.standing := {schema}.dt_take_part(g, m);
  END IF;
  IF m.incarnation IS NULL OR m.standing = 'fenced' THEN
    PERFORM {schema}.dt_put(g, p_channel);
    v.status := CASE WHEN m.incarnation IS NULL THEN 'unknown' ELSE 'fenced' END;
    v.store_time_ms := g.last_ms;
    RETURN v;
  END IF;
  held_before := m.held;
  v := {schema}.dt_accept_report(g, m, p_seq, p_generation, p_pool_size, p_held, p_max, p_level, NULL, p_channel);
  PERFORM {schema}.dt_durability(
    newcomer OR v.generation <> generation_before OR v.held > held_before OR g.offset_ms <> offset_before_ms
  );
  RETURN v;
END $$;

-- The standing of a newcomer after its first sync that names the generation of its registration or a later one: it
-- becomes the holder of its id, and the holder so far is fenced, unless that one registered later (R3). Cost: O(log n).
CREATE FUNCTION {schema}.dt_take_part(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  holder {schema}.dt_member := {schema}.dt_holder(g.group_id, m.id);
BEGIN
  IF holder.incarnation IS NOT NULL AND (m.joined < 0 OR holder.joined > m.joined) THEN
    UPDATE {schema}.dt_member SET standing = 'fenced'
    WHERE ctid = (SELECT {schema}.dt_place(g.group_id, m.incarnation));
    RETURN 'fenced';
  END IF;
  IF holder.incarnation IS NOT NULL THEN
    UPDATE {schema}.dt_member SET standing = 'fenced'
    WHERE ctid = (SELECT {schema}.dt_place(g.group_id, holder.incarnation));
    PERFORM {schema}.dt_remember_level(g, holder);
  END IF;
  UPDATE {schema}.dt_member SET standing = 'holder'
  WHERE ctid = (SELECT {schema}.dt_place(g.group_id, m.incarnation));
  RETURN 'holder';
END $$;
-- deregister: a member leaves; nothing happens when it is not there.
-- Input  group, incarnation, last level or null; observed store time and longest wait for the group's lock in
--        milliseconds; channel to notify, or null
-- Cost   O(log n)
CREATE FUNCTION {schema}.dt_deregister(p_group text, p_incarnation text, p_level float8, p_observed_ms float8, p_wait_ms integer, p_channel text)
RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  m {schema}.dt_member;
BEGIN
  PERFORM {schema}.dt_durability(true);
  g := {schema}.dt_lock(p_group, p_wait_ms);
  IF g.group_id IS NULL THEN
    RETURN;
  END IF;
  g := {schema}.dt_advance(g, p_observed_ms);
  m := {schema}.dt_find_member(g.group_id, p_incarnation);
  IF m.incarnation IS NOT NULL THEN
    m.level := coalesce(p_level, m.level);
    g := {schema}.dt_remove_member(g, m);
    g.capacity := {schema}.dt_smallest_max(g.group_id);
    g := {schema}.dt_next_generation(g);
  END IF;
  PERFORM {schema}.dt_put(g, p_channel);
END $$;
-- inspect: the whole ledger of a group, changing nothing.
-- Input  group
-- Output one row for each member in the order of ranks, with the group's values in front; a group without members has
--        one row with a null incarnation, a group that does not exist one with a null generation
-- Cost   O(members). STABLE, so that both statements see one snapshot
CREATE FUNCTION {schema}.dt_inspect(p_group text) RETURNS TABLE (
  store_time_ms float8, group_generation bigint, capacity bigint, group_pool_size bigint, adopted bigint, group_held bigint,
  interval_ms float8, group_age_ms float8, learning boolean, id text, incarnation text, rank bigint, generation bigint, pool_size bigint,
  held bigint, max bigint, level float8, silent_ms float8, fenced boolean
) LANGUAGE plpgsql STABLE SET enable_seqscan TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
BEGIN
  SELECT l.* INTO g FROM {schema}.dt_ledger l WHERE l.group_id = (SELECT n.id FROM {schema}.dt_group n WHERE n.name = p_group)
    ORDER BY l.turn DESC LIMIT 1;
  IF g.group_id IS NULL THEN
    store_time_ms := {schema}.dt_clock_ms();
    RETURN NEXT;
    RETURN;
  END IF;
  g := {schema}.dt_advance(g, 0);
  RETURN QUERY SELECT
    g.last_ms, g.generation, g.capacity, g.pool_size, g.adopted, g.held, g.interval_ms, g.last_ms - g.created_at_ms,
    g.last_ms - g.lapsed_ms < g.learn_until_ms, m.id, m.incarnation, m.rank, m.generation, m.pool_size, m.held, m.max, m.level,
    greatest(0, g.last_ms - g.lapsed_ms - (m.expires_at_ms - m.stale_after_ms)), m.standing = 'fenced'
  FROM (VALUES (true)) one_row LEFT JOIN {schema}.dt_member m ON m.group_id = g.group_id ORDER BY m.rank;
END $$;
