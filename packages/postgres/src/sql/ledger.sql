-- A group's row in dt_ledger: its lock, clock and generation. Ports of @dt/core's group-clock.ts and of parts of its
-- ledger.ts.

-- The server's clock in milliseconds, with microseconds as fractions. Not now(), which is when the transaction began:
-- time is taken once the group is locked, or that of a caller who waited would go back. Tests replace this function.
CREATE OR REPLACE FUNCTION {schema}.dt_clock_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
  $$ SELECT date_part('epoch', clock_timestamp()) * 1000 $$;

-- Locks a group until the end of the statement (R1) and gives its row; a row of nulls when there is no such group.
-- Waits p_wait_ms at most, so that a statement whose caller has given up does not stay in the queue. Cost: two index
-- look-ups.
CREATE OR REPLACE FUNCTION {schema}.dt_lock(p_group text, p_wait_ms integer) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE FUNCTION {schema}.dt_advance(g {schema}.dt_ledger, p_observed_ms float8) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  -- A day ahead of the server's clock at most: one member's error does not move the group's time for good.
  floor_ms float8 := greatest(g.last_ms, least(p_observed_ms, clock_ms + 86400000));
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
CREATE OR REPLACE FUNCTION {schema}.dt_next_generation(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  g.generation := greatest(g.generation + 1, floor(g.last_ms)::bigint);
  g.adopted := 0;
  RETURN g;
END $$;

-- A member's row; a row of nulls when there is no such member. Cost: one index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_find_member(p_group_id bigint, p_incarnation text) RETURNS {schema}.dt_member LANGUAGE plpgsql AS $$
DECLARE
  m {schema}.dt_member;
BEGIN
  SELECT * INTO m FROM {schema}.dt_member WHERE group_id = p_group_id AND incarnation = p_incarnation
    ORDER BY turn DESC LIMIT 1;
  RETURN m;
END $$;

-- Where a member's row is: the key for its updates and its end. No call moves it while the group is locked. Cost: one
-- index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_place(p_group_id bigint, p_incarnation text) RETURNS tid LANGUAGE plpgsql AS $$
DECLARE
  place tid;
BEGIN
  SELECT ctid INTO place FROM {schema}.dt_member WHERE group_id = p_group_id AND incarnation = p_incarnation
    ORDER BY turn DESC LIMIT 1;
  RETURN place;
END $$;

-- The member that is the holder of an id (R3); a row of nulls when there is none. Cost: one index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_holder(p_group_id bigint, p_id text) RETURNS {schema}.dt_member LANGUAGE plpgsql AS $$
DECLARE
  m {schema}.dt_member;
BEGIN
  SELECT * INTO m FROM {schema}.dt_member WHERE group_id = p_group_id AND id >= p_id AND id <= p_id AND standing = 'holder'
    ORDER BY id LIMIT 1;
  RETURN m;
END $$;

-- What the members declare: the capacity, the quiet limit, the longest stale age, the clock error (R2, R6). In an empty
-- group the times stay, since silence goes on counting for learning. Cost: O(members).
CREATE OR REPLACE FUNCTION {schema}.dt_declared(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  smallest_stale_ms float8;
  longest_stale_ms float8;
  largest_clock_error_ms float8;
BEGIN
  SELECT min(stale_after_ms), max(stale_after_ms), max(clock_error_ms) INTO smallest_stale_ms, longest_stale_ms, largest_clock_error_ms
    FROM {schema}.dt_member WHERE group_id = g.group_id;
  g := {schema}.dt_keep_copy(g);
  g := {schema}.dt_set_capacity(g, {schema}.dt_capacity_of(g));
  g.quiet_limit_ms := coalesce(smallest_stale_ms * 0.25, g.quiet_limit_ms);
  g.longest_stale_ms := coalesce(longest_stale_ms, g.longest_stale_ms);
  g.clock_error_ms := coalesce(largest_clock_error_ms, 0);
  RETURN g;
END $$;

-- After members were removed: what is left declares the rest; a new generation. Cost: O(members).
CREATE OR REPLACE FUNCTION {schema}.dt_membership_changed(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  RETURN {schema}.dt_next_generation({schema}.dt_declared(g));
END $$;

-- Writes the group's row, and tells listeners on p_channel (unless it is null) of a new generation, an agreement or a
-- pause (R35). One that is longer by a little is no news. Whatever changed since listeners were last told counts, also
-- if a store without a channel changed it.
-- Cost: one HOT update; of a semaphore O(members) with every 256th write.
CREATE OR REPLACE FUNCTION {schema}.dt_put(g {schema}.dt_ledger, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  agreed boolean := g.adopted = g.member_count;
  paused boolean := g.paused_until_ms > g.told_paused_ms + 100;
  clock_ms float8 := g.last_ms - g.offset_ms;
BEGIN
  IF p_channel IS NOT NULL AND (g.generation <> g.told_generation OR agreed AND NOT g.told_agreed OR paused) THEN
    PERFORM pg_notify({schema}.dt_channel(p_channel), CASE WHEN paused THEN 'pause' ELSE '' END);
    g.told_generation := g.generation;
    g.told_agreed := agreed;
    g.told_paused_ms := g.paused_until_ms;
  END IF;
  -- Half of the day that is waited for at least: what counts, a stale age and levels to be resumed, is kept to the end.
  IF g.keep_until_ms < clock_ms + g.keep_ms - 43200000 THEN
    g.keep_until_ms := clock_ms + g.keep_ms;
  END IF;
  -- A semaphore's queue is looked at by the group's turn.
  IF g.interval_ms = 1 AND (g.writes + 1) / 256 <> g.turn THEN
    UPDATE {schema}.dt_slot SET turn = (g.writes + 1) / 256 WHERE group_id = g.group_id AND turn = g.turn;
  END IF;
  UPDATE {schema}.dt_ledger SET
    turn = (g.writes + 1) / 256, writes = g.writes + 1, generation = g.generation, member_count = g.member_count, held = g.held,
    adopted = g.adopted, capacity = g.capacity, largest_member_count = g.largest_member_count, interval_ms = g.interval_ms,
    learn_from_ms = g.learn_from_ms, learn_until_ms = g.learn_until_ms, longest_stale_ms = g.longest_stale_ms,
    clock_error_ms = g.clock_error_ms, ahead_until_ms = g.ahead_until_ms, repairs = g.repairs, last_ms = g.last_ms, offset_ms = g.offset_ms, lapsed_ms = g.lapsed_ms,
    quiet_limit_ms = g.quiet_limit_ms, swept_ms = g.swept_ms, boot = g.boot, told_generation = g.told_generation,
    told_agreed = g.told_agreed, keep_ms = g.keep_ms, keep_until_ms = g.keep_until_ms, freed_epoch = g.freed_epoch, spent = g.spent,
    wants = g.wants, stored_revision = g.stored_revision, stored_max = g.stored_max, hungry_ms = g.hungry_ms, paused_until_ms = g.paused_until_ms, told_paused_ms = g.told_paused_ms
  WHERE group_id = g.group_id AND turn = g.turn;
END $$;
