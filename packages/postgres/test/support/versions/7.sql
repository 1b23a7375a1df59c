-- From version 6 to 7 as it was, without its comments: members say what they do.
LOCK TABLE {schema}.dt_ledger, {schema}.dt_group, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;

ALTER TABLE {schema}.dt_member
  ADD COLUMN used bigint,
  ADD COLUMN waiting bigint,
  ADD CONSTRAINT dt_member_activity CHECK (used BETWEEN 0 AND 1000000000000 AND waiting BETWEEN 0 AND 1000000000000);

DROP FUNCTION IF EXISTS {schema}.dt_sync(
  text, text, bigint, bigint, bigint, bigint, bigint, float8, float8, integer, text, bigint, bigint, bigint, float8
);
DROP FUNCTION IF EXISTS {schema}.dt_accept_report(
  {schema}.dt_ledger, {schema}.dt_member, bigint, bigint, bigint, bigint, bigint, float8, bigint, bigint, bigint, float8, float8, text
);
DROP FUNCTION IF EXISTS {schema}.dt_inspect(text);

CREATE OR REPLACE FUNCTION {schema}.dt_channel(p_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  secret text;
BEGIN
  SELECT hint_secret INTO secret FROM {schema}.dt_data WHERE only_row;
  IF secret IS NULL THEN
    INSERT INTO {schema}.dt_data (since_ms, losses) VALUES ({schema}.dt_clock_ms(), 1) ON CONFLICT DO NOTHING;
    SELECT hint_secret INTO secret FROM {schema}.dt_data WHERE only_row;
  END IF;
  RETURN 'dt_' || left(encode(sha256(convert_to(secret || p_name, 'UTF8')), 'hex'), 40);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_hint(p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_name IS NOT NULL THEN
    PERFORM pg_notify({schema}.dt_channel(p_name), '');
  END IF;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_newest_epoch(g {schema}.dt_ledger) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT floor((g.last_ms + greatest(g.clock_error_ms, g.ahead_until_ms - g.last_ms)) / g.interval_ms)::bigint $$;

CREATE OR REPLACE FUNCTION {schema}.dt_learning(g {schema}.dt_ledger) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT g.last_ms - g.lapsed_ms < g.learn_until_ms $$;

CREATE OR REPLACE FUNCTION {schema}.dt_spend_all(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  IF {schema}.dt_learning(g) THEN
    RETURN g;
  END IF;
  g.freed_epoch := greatest(g.freed_epoch, {schema}.dt_newest_epoch(g));
  g.spent := 1000000000000;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_settle(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  IF {schema}.dt_learning(g) THEN
    g.freed_epoch := NULL;
  ELSIF g.freed_epoch IS NULL THEN
    RETURN {schema}.dt_spend_all(g);
  END IF;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_free(g {schema}.dt_ledger, p_tokens bigint, p_kept bigint, p_epoch bigint, p_used bigint)
RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  freed_in bigint := least(p_epoch, {schema}.dt_newest_epoch(g));
  used_up bigint := CASE WHEN p_epoch IS NULL THEN p_tokens ELSE least(p_tokens, greatest(0, p_used - p_kept)) END;
BEGIN
  g.held := g.held - p_tokens;
  IF g.freed_epoch IS NULL OR freed_in < g.freed_epoch THEN
    RETURN g;
  END IF;
  IF freed_in > g.freed_epoch THEN
    g.spent := 0;
  END IF;
  g.freed_epoch := freed_in;
  g.spent := least(g.spent + used_up, 1000000000000);
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_unspent(g {schema}.dt_ledger) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN g.freed_epoch IS NULL THEN 0 ELSE greatest(0, g.capacity - g.held - g.spent) END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_set_capacity(g {schema}.dt_ledger, p_capacity bigint) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  is_higher boolean := p_capacity > g.capacity;
BEGIN
  g.capacity := p_capacity;
  IF is_higher THEN
    RETURN {schema}.dt_spend_all(g);
  END IF;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_want_on_grid(p_tokens bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  step bigint := 1;
BEGIN
  WHILE p_tokens >= 16 * step LOOP
    step := 2 * step;
  END LOOP;
  RETURN (p_tokens + step - 1) / step * step;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_want_place(p_wants bigint[], p_want bigint) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  place integer := 1;
BEGIN
  WHILE p_wants[place] < p_want LOOP
    place := place + 2;
  END LOOP;
  RETURN place;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_counted(p_wants bigint[], p_want bigint, p_by integer) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  place integer := {schema}.dt_want_place(p_wants, p_want);
  known boolean := coalesce(p_wants[place] = p_want, false);
  members bigint := p_by + CASE WHEN known THEN p_wants[place + 1] ELSE 0 END;
BEGIN
  IF p_want IS NULL THEN
    RETURN p_wants;
  END IF;
  RETURN p_wants[: place - 1] || CASE WHEN members > 0 THEN array[p_want, members] ELSE '{}' END
    || p_wants[CASE WHEN known THEN place + 2 ELSE place END :];
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_totals(p_group_id bigint, OUT members bigint, OUT tokens bigint, OUT wants bigint[]) LANGUAGE plpgsql AS $$
BEGIN
  SELECT coalesce(sum(c.members), 0), coalesce(sum(c.tokens), 0),
      array(SELECT unnest(array_agg(array[c.want, c.members] ORDER BY c.want) FILTER (WHERE c.want IS NOT NULL)))
    INTO members, tokens, wants
    FROM (
      SELECT m.want, count(*) AS members, sum(m.held) AS tokens FROM {schema}.dt_member m WHERE m.group_id = p_group_id GROUP BY m.want
    ) c;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_wanting(p_wants bigint[]) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  members bigint := 0;
BEGIN
  FOR i IN 2 .. cardinality(p_wants) BY 2 LOOP
    members := members + p_wants[i];
  END LOOP;
  RETURN members;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_water_level(g {schema}.dt_ledger) RETURNS {schema}.dt_water LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  wants bigint[] := g.wants;
  keep bigint := g.capacity / 50;
  wanting bigint := {schema}.dt_wanting(wants);
  parts bigint;
  below bigint := 0;
  due bigint;
  w {schema}.dt_water;
BEGIN
  w.reserve := keep / g.pool_size;
  w.kept := CASE WHEN w.reserve = 0 AND wants[1] = 0 THEN least(keep, wants[2]) ELSE 0 END;
  parts := g.capacity - w.kept - greatest(0, g.pool_size - wanting) * (g.capacity / g.pool_size);
  w.takers := wanting;
  FOR i IN 1 .. cardinality(wants) BY 2 LOOP
    due := greatest(w.reserve, least(g.capacity, wants[i]));
    IF due > (parts - below) / w.takers THEN
      w.scarce := true;
      w.level := (parts - below) / w.takers;
      w.extra := 0;
      w.spare := 0;
      w.odd := parts - below - w.takers * w.level;
      RETURN w;
    END IF;
    below := below + wants[i + 1] * due;
    w.takers := w.takers - wants[i + 1];
  END LOOP;
  w.scarce := false;
  w.level := g.capacity;
  w.spare := parts - below;
  w.extra := CASE WHEN g.pool_size = 1 THEN w.spare ELSE greatest(w.spare / 2 / g.pool_size, CASE WHEN w.spare >= g.pool_size THEN 1 ELSE 0 END) END;
  w.odd := 0;
  RETURN w;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_need(w {schema}.dt_water, p_want bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT least(greatest(p_want, w.reserve), w.level) $$;

CREATE OR REPLACE FUNCTION {schema}.dt_hungry(g {schema}.dt_ledger, p_sync_ms float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT coalesce(g.last_ms - g.hungry_ms < 1.1::float8 * p_sync_ms + 200, false) $$;

CREATE OR REPLACE FUNCTION {schema}.dt_hunger(g {schema}.dt_ledger, p_held bigint, p_need bigint, p_sync_ms float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN {schema}.dt_learning(g) OR p_held >= p_need - p_need / 16 OR g.last_ms - g.hungry_ms < 0.75::float8 * least(1000, p_sync_ms) THEN g.hungry_ms
    ELSE g.last_ms
  END
$$;

CREATE OR REPLACE FUNCTION {schema}.dt_demand_raise(
  g {schema}.dt_ledger, m {schema}.dt_member, w {schema}.dt_water, p_unspent bigint, p_sync_ms float8, OUT tokens bigint, OUT odd boolean
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  need bigint := {schema}.dt_need(w, m.want);
  free bigint := g.capacity - g.held - CASE WHEN m.held < greatest(1, w.reserve) THEN 0 ELSE w.kept END;
BEGIN
  tokens := 0;
  odd := false;
  IF free <= 0 OR {schema}.dt_learning(g) THEN
    RETURN;
  END IF;
  IF m.held < need + (CASE WHEN g.pool_size = 1 THEN w.extra ELSE (w.extra + 1) / 2 END) THEN
    tokens := least(free, need + w.extra - m.held);
  END IF;
  IF w.odd > 0 AND free > tokens AND m.held + tokens = w.level AND m.want > w.level AND NOT {schema}.dt_hungry(g, p_sync_ms)
    AND (g.last_ms >= coalesce(m.rest_until_ms, 0) OR p_unspent > tokens AND g.last_ms - m.gave_up_ms >= g.interval_ms) THEN
    tokens := tokens + 1;
    odd := true;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_end_turn(g {schema}.dt_ledger, m {schema}.dt_member, p_sync_ms float8) RETURNS {schema}.dt_member LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  w {schema}.dt_water := {schema}.dt_water_level(g);
  others float8 := CASE WHEN w.odd > 0 THEN w.takers::float8 / w.odd - 1 ELSE 0 END;
BEGIN
  m.odd := NULL;
  m.gave_up_ms := g.last_ms;
  m.rest_until_ms := g.last_ms + 0.9::float8 * others * p_sync_ms * greatest(1, w.level);
  RETURN m;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_clock_ms() RETURNS float8 LANGUAGE sql VOLATILE AS
  $$ SELECT date_part('epoch', clock_timestamp()) * 1000 $$;

CREATE OR REPLACE FUNCTION {schema}.dt_lock(p_group text, p_wait_ms integer) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
  g {schema}.dt_ledger;
BEGIN
  SELECT * INTO g FROM {schema}.dt_ledger WHERE group_id = (SELECT id FROM {schema}.dt_group WHERE name = p_group)
    ORDER BY turn DESC LIMIT 1 FOR UPDATE;
  g.wants := coalesce(g.wants, '{}');
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_advance(g {schema}.dt_ledger, p_observed_ms float8) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  floor_ms float8 := greatest(g.last_ms, least(p_observed_ms, clock_ms + 86400000));
  shown_ms float8 := greatest(g.last_ms, clock_ms + g.offset_ms);
  now_ms float8;
  quiet_ms float8;
BEGIN
  IF clock_ms + g.offset_ms < floor_ms THEN
    g.offset_ms := floor_ms - clock_ms;
  END IF;
  now_ms := greatest(floor_ms, clock_ms + g.offset_ms);
  g.lapsed_ms := g.lapsed_ms + (now_ms - shown_ms);
  quiet_ms := shown_ms - g.last_ms;
  IF quiet_ms > g.quiet_limit_ms THEN
    g.lapsed_ms := g.lapsed_ms + (quiet_ms - g.quiet_limit_ms);
  END IF;
  g.last_ms := now_ms;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_next_generation(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  g.generation := greatest(g.generation + 1, floor(g.last_ms)::bigint);
  g.adopted := 0;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_find_member(p_group_id bigint, p_incarnation text) RETURNS {schema}.dt_member LANGUAGE plpgsql AS $$
DECLARE
  m {schema}.dt_member;
BEGIN
  SELECT * INTO m FROM {schema}.dt_member WHERE group_id = p_group_id AND incarnation = p_incarnation
    ORDER BY turn DESC LIMIT 1;
  RETURN m;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_place(p_group_id bigint, p_incarnation text) RETURNS tid LANGUAGE plpgsql AS $$
DECLARE
  place tid;
BEGIN
  SELECT ctid INTO place FROM {schema}.dt_member WHERE group_id = p_group_id AND incarnation = p_incarnation
    ORDER BY turn DESC LIMIT 1;
  RETURN place;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_holder(p_group_id bigint, p_id text) RETURNS {schema}.dt_member LANGUAGE plpgsql AS $$
DECLARE
  m {schema}.dt_member;
BEGIN
  SELECT * INTO m FROM {schema}.dt_member WHERE group_id = p_group_id AND id >= p_id AND id <= p_id AND standing = 'holder'
    ORDER BY id LIMIT 1;
  RETURN m;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_smallest_max(p_group_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  smallest bigint;
BEGIN
  SELECT max INTO smallest FROM {schema}.dt_member WHERE group_id = p_group_id ORDER BY max LIMIT 1;
  RETURN coalesce(smallest, 0);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_declared(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  smallest_stale_ms float8;
  longest_stale_ms float8;
  largest_clock_error_ms float8;
BEGIN
  SELECT min(stale_after_ms), max(stale_after_ms), max(clock_error_ms) INTO smallest_stale_ms, longest_stale_ms, largest_clock_error_ms
    FROM {schema}.dt_member WHERE group_id = g.group_id;
  g := {schema}.dt_set_capacity(g, {schema}.dt_smallest_max(g.group_id));
  g.quiet_limit_ms := coalesce(smallest_stale_ms * 0.25, g.quiet_limit_ms);
  g.longest_stale_ms := coalesce(longest_stale_ms, g.longest_stale_ms);
  g.clock_error_ms := coalesce(largest_clock_error_ms, 0);
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_membership_changed(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  RETURN {schema}.dt_next_generation({schema}.dt_declared(g));
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_put(g {schema}.dt_ledger, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  agreed boolean := g.adopted = g.pool_size;
  clock_ms float8 := g.last_ms - g.offset_ms;
BEGIN
  IF p_channel IS NOT NULL AND (g.generation <> g.told_generation OR agreed AND NOT g.told_agreed) THEN
    PERFORM {schema}.dt_hint(p_channel);
    g.told_generation := g.generation;
    g.told_agreed := agreed;
  END IF;
  IF g.keep_until_ms < clock_ms + g.keep_ms - 43200000 THEN
    g.keep_until_ms := clock_ms + g.keep_ms;
  END IF;
  UPDATE {schema}.dt_ledger SET
    turn = (g.writes + 1) / 256, writes = g.writes + 1, generation = g.generation, pool_size = g.pool_size, held = g.held,
    adopted = g.adopted, capacity = g.capacity, largest_pool_size = g.largest_pool_size, interval_ms = g.interval_ms,
    learn_from_ms = g.learn_from_ms, learn_until_ms = g.learn_until_ms, longest_stale_ms = g.longest_stale_ms,
    clock_error_ms = g.clock_error_ms, ahead_until_ms = g.ahead_until_ms, repairs = g.repairs, last_ms = g.last_ms, offset_ms = g.offset_ms, lapsed_ms = g.lapsed_ms,
    quiet_limit_ms = g.quiet_limit_ms, swept_ms = g.swept_ms, boot = g.boot, told_generation = g.told_generation,
    told_agreed = g.told_agreed, keep_ms = g.keep_ms, keep_until_ms = g.keep_until_ms, freed_epoch = g.freed_epoch, spent = g.spent,
    wants = nullif(g.wants, '{}'), hungry_ms = g.hungry_ms
  WHERE group_id = g.group_id AND turn = g.turn;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_suspect(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  repairs_before bigint := g.repairs;
BEGIN
  IF m.rank < g.pool_size AND m.held <= g.held
    AND (m.want IS NULL OR g.wants[{schema}.dt_want_place(g.wants, m.want)] = m.want)
    AND (
      g.last_ms - g.generation < 2 * g.longest_stale_ms OR g.writes % 16 <> 0
      OR g.adopted + {schema}.dt_wanting(g.wants) = g.pool_size AND (g.wants = '{}' OR g.held <= g.capacity)
    ) THEN
    RETURN g;
  END IF;
  g := {schema}.dt_count(g);
  IF g.repairs <> repairs_before THEN
    g := {schema}.dt_next_generation(g);
  END IF;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_recount(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  IF g.pool_size > 64 AND g.generation % 16 <> 0 THEN
    RETURN g;
  END IF;
  RETURN {schema}.dt_count(g);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_count(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  members bigint;
  tokens bigint;
  wanted bigint[];
BEGIN
  SELECT t.members, t.tokens, t.wants INTO members, tokens, wanted FROM {schema}.dt_totals(g.group_id) t;
  IF members <> g.pool_size OR tokens <> g.held THEN
    RETURN {schema}.dt_mend(g);
  END IF;
  g.wants := wanted;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_mend(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  longest_before_ms float8 := g.longest_stale_ms;
BEGIN
  UPDATE {schema}.dt_member SET rank = rank + 1000000000 WHERE group_id = g.group_id;
  UPDATE {schema}.dt_member m SET rank = dense.rank
  FROM (SELECT incarnation, row_number() OVER (ORDER BY rank) - 1 AS rank FROM {schema}.dt_member WHERE group_id = g.group_id) dense
  WHERE m.group_id = g.group_id AND m.incarnation = dense.incarnation;
  SELECT t.members, t.tokens, t.wants INTO g.pool_size, g.held, g.wants FROM {schema}.dt_totals(g.group_id) t;
  g.adopted := 0;
  g.largest_pool_size := g.pool_size;
  g := {schema}.dt_declared(g);
  g.freed_epoch := NULL;
  g.swept_ms := '-infinity';
  g.repairs := g.repairs + 1;
  g.learn_from_ms := g.last_ms - g.lapsed_ms;
  g.learn_until_ms := greatest(g.learn_until_ms, g.learn_from_ms + greatest(g.longest_stale_ms, longest_before_ms));
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_repair(p_group text, p_reset boolean, p_wait_ms integer, p_channel text)
RETURNS TABLE (found text, members bigint, reset boolean) LANGUAGE plpgsql SET enable_seqscan TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  declared {schema}.dt_ledger;
  counted bigint;
  tokens bigint;
  wanted bigint[];
  highest_rank bigint;
  problems text[] := '{}';
BEGIN
  PERFORM {schema}.dt_durability(true);
  g := {schema}.dt_lock(p_group, p_wait_ms);
  IF g.group_id IS NULL THEN
    IF EXISTS (SELECT FROM {schema}.dt_group WHERE name = p_group) THEN
      problems := array['its row in {schema}.dt_ledger is missing: the next registration makes a new one, and the group learns first'];
    END IF;
    RETURN QUERY SELECT p.problem, 0::bigint, p.problem IS NOT NULL FROM (SELECT 1) one_row LEFT JOIN unnest(problems) p (problem) ON true;
    RETURN;
  END IF;
  g := {schema}.dt_advance(g, 0);
  SELECT t.members, t.tokens, t.wants INTO counted, tokens, wanted FROM {schema}.dt_totals(g.group_id) t;
  SELECT max(m.rank) INTO highest_rank FROM {schema}.dt_member m WHERE m.group_id = g.group_id;
  declared := {schema}.dt_declared(g);
  IF counted <> g.pool_size THEN
    problems := problems || format('pool_size was %s, and there are %s members', g.pool_size, counted);
  END IF;
  IF tokens <> g.held THEN
    problems := problems || format('held was %s, and the members hold %s', g.held, tokens);
  END IF;
  IF wanted <> g.wants THEN
    problems := problems || format('wants was %s, and the members want %s', g.wants, wanted);
  END IF;
  IF highest_rank >= counted THEN
    problems := problems || format('there was a rank %s among %s members', highest_rank, counted);
  END IF;
  IF declared.capacity <> g.capacity OR counted > 0 AND (declared.quiet_limit_ms, declared.longest_stale_ms, declared.clock_error_ms)
    <> (g.quiet_limit_ms, g.longest_stale_ms, g.clock_error_ms) THEN
    problems := problems || 'capacity, stale ages or clock error were not those that the members declare'::text;
  END IF;
  IF p_reset THEN
    DELETE FROM {schema}.dt_member m WHERE m.group_id = g.group_id;
    counted := 0;
  END IF;
  IF p_reset OR problems <> '{}' THEN
    g := {schema}.dt_next_generation({schema}.dt_mend(g));
    PERFORM {schema}.dt_put(g, p_channel);
  END IF;
  RETURN QUERY SELECT p.problem, counted, p_reset FROM (SELECT 1) one_row LEFT JOIN unnest(problems) p (problem) ON true;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_remember_level(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF m.resume_within_ms <= 0 OR m.level IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM {schema}.dt_level WHERE group_id = g.group_id AND until_ms <= g.last_ms;
  INSERT INTO {schema}.dt_level (group_id, id, level, until_ms) VALUES (g.group_id, m.id, m.level, g.last_ms + m.resume_within_ms)
    ON CONFLICT (group_id, id) DO UPDATE SET level = excluded.level, until_ms = excluded.until_ms;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_remove_member(g {schema}.dt_ledger, m {schema}.dt_member, p_epoch bigint, p_used bigint)
RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_member WHERE ctid = (SELECT {schema}.dt_place(g.group_id, m.incarnation));
  UPDATE {schema}.dt_member SET rank = m.rank WHERE ctid = (
    SELECT ctid FROM {schema}.dt_member WHERE group_id = g.group_id AND rank >= g.pool_size - 1 ORDER BY rank LIMIT 1
  );
  g.pool_size := g.pool_size - 1;
  g.wants := {schema}.dt_counted(g.wants, m.want, -1);
  g.ahead_until_ms := greatest(g.ahead_until_ms, g.last_ms + m.clock_error_ms);
  g := {schema}.dt_free(g, m.held, 0, p_epoch, p_used);
  PERFORM {schema}.dt_remember_level(g, m);
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_remove_stale(g {schema}.dt_ledger, p_caller text) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
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
      IF NOT removed THEN
        g := {schema}.dt_recount(g);
      END IF;
      g := {schema}.dt_remove_member(g, {schema}.dt_find_member(g.group_id, due.incarnation), NULL, NULL);
      removed := true;
    END IF;
  END LOOP;
  IF looked_at < 1000 THEN
    swept_to_ms := live_ms;
  END IF;
  g.swept_ms := least(swept_to_ms, caller_due_ms);
  IF removed THEN
    g := {schema}.dt_membership_changed(g);
  END IF;
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_recovered(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  age_ms float8 := g.last_ms - g.lapsed_ms - g.created_at_ms;
BEGIN
  INSERT INTO {schema}.dt_boot DEFAULT VALUES ON CONFLICT DO NOTHING;
  SELECT boot INTO g.boot FROM {schema}.dt_boot WHERE only_row;
  g.lapsed_ms := g.lapsed_ms + least(g.longest_stale_ms, greatest(age_ms, 0));
  g.freed_epoch := NULL;
  g.swept_ms := '-infinity';
  RETURN g;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_adopts(g {schema}.dt_ledger, m {schema}.dt_member, p_generation bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT p_generation = g.generation AND m.generation <> p_generation AND m.want IS NULL AND m.held <= g.capacity / g.pool_size $$;

CREATE OR REPLACE FUNCTION {schema}.dt_answer(
  g {schema}.dt_ledger, m {schema}.dt_member, p_generation bigint, p_pool_size bigint, p_sync_ms float8, p_resume_level float8, p_channel text
) RETURNS {schema}.dt_view LANGUAGE plpgsql AS $$
DECLARE
  sure bigint := g.capacity / g.pool_size;
  most bigint := (g.capacity + g.pool_size - 1) / g.pool_size;
  learning boolean := {schema}.dt_learning(g);
  agree boolean;
  by_demand boolean := m.want IS NOT NULL AND p_sync_ms IS NOT NULL;
  unspent bigint := {schema}.dt_unspent(g);
  early bigint;
  raised bigint := 0;
  odd boolean;
  w {schema}.dt_water;
  v {schema}.dt_view;
BEGIN
  IF {schema}.dt_adopts(g, m, p_generation) THEN
    m.generation := p_generation;
    m.pool_size := p_pool_size;
    g.adopted := g.adopted + 1;
    g.largest_pool_size := greatest(g.largest_pool_size, p_pool_size);
  END IF;
  agree := NOT learning AND g.adopted = g.pool_size;
  IF by_demand THEN
    w := {schema}.dt_water_level(g);
    SELECT r.tokens, r.odd INTO raised, odd FROM {schema}.dt_demand_raise(g, m, w, unspent, p_sync_ms) r;
    m.odd := nullif(coalesce(m.odd, false) OR odd, false);
    early := least(unspent, raised);
  ELSE
    early := least(unspent, greatest(0, sure - m.held));
    IF agree THEN
      g.largest_pool_size := g.pool_size;
      raised := most - m.held;
    ELSIF NOT learning AND m.held < sure THEN
      raised := least(g.capacity - g.held, sure - m.held);
    END IF;
  END IF;
  IF raised > 0 THEN
    m.held := m.held + raised;
    g.held := g.held + raised;
  END IF;
  IF by_demand THEN
    g.hungry_ms := {schema}.dt_hunger(g, m.held, {schema}.dt_need(w, m.want), p_sync_ms);
  ELSIF g.wants <> '{}' THEN
    g.hungry_ms := {schema}.dt_hunger(g, m.held, sure, 1000);
  END IF;
  UPDATE {schema}.dt_member SET
    seq = m.seq, generation = m.generation, pool_size = m.pool_size, held = m.held, max = m.max, level = m.level,
    expires_at_ms = m.expires_at_ms, want = m.want, odd = m.odd, gave_up_ms = m.gave_up_ms, rest_until_ms = m.rest_until_ms,
    used = m.used, waiting = m.waiting
  WHERE ctid = (
    SELECT ctid FROM {schema}.dt_member WHERE group_id = m.group_id AND incarnation = m.incarnation ORDER BY turn DESC LIMIT 1
  );
  PERFORM {schema}.dt_put(g, p_channel);
  v.status := CASE WHEN agree THEN 'agree' ELSE 'disagree' END;
  v.store_time_ms := g.last_ms;
  v.generation := g.generation;
  v.pool_size := g.pool_size;
  v.reported_pool_size := CASE WHEN agree THEN g.pool_size ELSE g.largest_pool_size END;
  v.rank := m.rank;
  v.held := m.held;
  v.fair := sure;
  v.capacity := g.capacity;
  v.clock_error_ms := greatest(g.clock_error_ms, g.ahead_until_ms - g.last_ms);
  v.group_age_ms := g.last_ms - g.created_at_ms;
  v.learning := learning;
  v.resume_level := p_resume_level;
  v.entitled := CASE WHEN m.want IS NULL OR g.held > g.capacity THEN least(m.held, sure) ELSE m.held END;
  v.early := early;
  v.start_epoch := coalesce(g.freed_epoch, {schema}.dt_newest_epoch(g)) + 1;
  v.from_epoch := {schema}.dt_newest_epoch(g) + 1;
  IF by_demand THEN
    v.level := w.level;
    v.reserve := w.reserve;
    v.extra := w.extra;
    v.odd := m.odd IS NOT NULL;
    v.hungry := {schema}.dt_hungry(g, p_sync_ms);
    v.tight := w.scarce OR v.hungry OR (g.pool_size > 1 AND (g.held >= g.capacity OR (g.capacity - g.held) * 4 < w.spare));
  END IF;
  RETURN v;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_accept_report(
  g {schema}.dt_ledger, m {schema}.dt_member, p_seq bigint, p_generation bigint, p_pool_size bigint, p_held bigint, p_max bigint,
  p_level float8, p_epoch bigint, p_used bigint, p_want bigint, p_sync_ms float8, p_used_before bigint, p_waiting bigint,
  p_resume_level float8, p_channel text
) RETURNS {schema}.dt_view LANGUAGE plpgsql AS $$
DECLARE
  want bigint := {schema}.dt_want_on_grid(p_want);
  smallest bigint;
BEGIN
  IF p_seq <= m.seq THEN
    RETURN {schema}.dt_answer(g, m, 0, 0, p_sync_ms, p_resume_level, p_channel);
  END IF;
  m.seq := p_seq;
  m.level := p_level;
  m.used := p_used_before;
  m.waiting := p_waiting;
  IF want IS DISTINCT FROM m.want THEN
    g.wants := {schema}.dt_counted({schema}.dt_counted(g.wants, m.want, -1), want, 1);
    m.want := want;
  END IF;
  m.expires_at_ms := g.last_ms - g.lapsed_ms + m.stale_after_ms;
  IF p_max <> m.max THEN
    m.max := p_max;
    UPDATE {schema}.dt_member SET max = p_max
    WHERE ctid = (SELECT {schema}.dt_place(m.group_id, m.incarnation));
    smallest := {schema}.dt_smallest_max(g.group_id);
    IF smallest <> g.capacity THEN
      g := {schema}.dt_next_generation({schema}.dt_set_capacity(g, smallest));
    END IF;
  END IF;
  IF p_held < m.held THEN
    g := {schema}.dt_free(g, m.held - p_held, p_held, p_epoch, p_used);
    m.held := p_held;
    IF want IS NOT NULL AND m.odd THEN
      m := {schema}.dt_end_turn(g, m, p_sync_ms);
    END IF;
  END IF;
  g.largest_pool_size := greatest(g.largest_pool_size, p_pool_size);
  IF {schema}.dt_adopts(g, m, p_generation) THEN
    g := {schema}.dt_free(g, 0, p_held, p_epoch, p_used);
  END IF;
  RETURN {schema}.dt_answer(g, m, p_generation, p_pool_size, p_sync_ms, p_resume_level, p_channel);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_durability(p_durable boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ignored text;
BEGIN
  IF NOT p_durable THEN
    ignored := set_config('synchronous_commit', 'off', true);
  ELSIF current_setting('synchronous_commit') = 'off' THEN
    ignored := set_config('synchronous_commit', 'on', true);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_open(p_group text, p_interval_ms float8, p_stale_after_ms float8, p_observed_ms float8, p_lost_use_ms float8, p_wait_ms integer)
RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  g {schema}.dt_ledger;
BEGIN
  FOR attempt IN 1 .. 5 LOOP
    g := {schema}.dt_lock(p_group, p_wait_ms);
    IF g.group_id IS NOT NULL THEN
      RETURN g;
    END IF;
    PERFORM {schema}.dt_create(p_group, p_interval_ms, p_stale_after_ms, p_observed_ms, p_lost_use_ms);
  END LOOP;
  RAISE EXCEPTION 'group % was created, and was gone again, five times', p_group USING ERRCODE = 'DT001';
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_create(p_group text, p_interval_ms float8, p_stale_after_ms float8, p_observed_ms float8, p_lost_use_ms float8)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  now_ms float8 := greatest(clock_ms, least(p_observed_ms, clock_ms + 86400000));
  own_id bigint;
  is_new boolean := true;
  was_there boolean;
  longest_stale_ms float8;
  data {schema}.dt_data;
  abandoned bigint;
BEGIN
  INSERT INTO {schema}.dt_group (name) VALUES (p_group) ON CONFLICT (name) DO NOTHING RETURNING id INTO own_id;
  IF own_id IS NULL THEN
    is_new := false;
    IF EXISTS (SELECT FROM {schema}.dt_ledger WHERE group_id = (SELECT id FROM {schema}.dt_group WHERE name = p_group)) THEN
      RETURN;
    END IF;
    SELECT id INTO own_id FROM {schema}.dt_group WHERE name = p_group FOR UPDATE;
    IF own_id IS NULL OR EXISTS (SELECT FROM {schema}.dt_ledger WHERE group_id = own_id) THEN
      RETURN;
    END IF;
  END IF;
  was_there := NOT is_new OR EXISTS (SELECT FROM {schema}.dt_member WHERE group_id = own_id);
  SELECT greatest(p_stale_after_ms, max(stale_after_ms)) INTO longest_stale_ms FROM {schema}.dt_member WHERE group_id = own_id;
  PERFORM {schema}.dt_forget(own_id);
  SELECT * INTO data FROM {schema}.dt_data WHERE only_row;
  INSERT INTO {schema}.dt_boot DEFAULT VALUES ON CONFLICT DO NOTHING;
  INSERT INTO {schema}.dt_ledger (
    group_id, turn, writes, generation, pool_size, held, adopted, capacity, largest_pool_size, interval_ms, created_at_ms,
    learn_from_ms, learn_until_ms, longest_stale_ms, clock_error_ms, ahead_until_ms, repairs, last_ms, offset_ms, lapsed_ms, quiet_limit_ms,
    swept_ms, boot, told_generation, told_agreed, keep_ms, keep_until_ms, freed_epoch, spent
  ) VALUES (
    own_id, 0, 0, 0, 0, 0, 0, 0, 0, p_interval_ms, now_ms,
    CASE WHEN was_there THEN now_ms ELSE least(now_ms, data.since_ms + (now_ms - clock_ms)) END,
    CASE WHEN was_there THEN now_ms + longest_stale_ms ELSE 0 END, p_stale_after_ms, 0, 0,
    CASE WHEN was_there OR data.losses > 0 THEN 1 ELSE 0 END, now_ms, now_ms - clock_ms, 0, p_stale_after_ms * 0.25,
    0, (SELECT boot FROM {schema}.dt_boot WHERE only_row), 0, true, 0, clock_ms,
    CASE WHEN NOT was_there AND data.since_ms + p_lost_use_ms <= clock_ms THEN 0 END, 0
  );
  FOR abandoned IN
    SELECT group_id FROM {schema}.dt_ledger WHERE keep_until_ms < clock_ms ORDER BY keep_until_ms LIMIT 2 FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM {schema}.dt_forget(abandoned);
    DELETE FROM {schema}.dt_group WHERE id = abandoned;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_forget(p_group_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_member WHERE group_id = p_group_id;
  DELETE FROM {schema}.dt_level WHERE group_id = p_group_id;
  DELETE FROM {schema}.dt_ledger WHERE group_id = p_group_id;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_register(
  p_group text, p_incarnation text, p_id text, p_seq bigint, p_rejoin boolean, p_claim bigint, p_max bigint, p_interval_ms float8,
  p_stale_after_ms float8, p_learning_ms float8, p_level float8, p_resume_within_ms float8, p_observed_ms float8,
  p_wait_ms integer, p_channel text, p_clock_error_ms float8 DEFAULT 0, p_want bigint DEFAULT NULL, p_sync_ms float8 DEFAULT NULL
) RETURNS {schema}.dt_view LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  known {schema}.dt_member;
  holder {schema}.dt_member;
  m {schema}.dt_member;
  v {schema}.dt_view;
  resume_level float8;
  want bigint := {schema}.dt_want_on_grid(p_want);
  lost_use_ms float8 := CASE WHEN p_learning_ms > 0 THEN p_learning_ms + p_interval_ms + 2 * p_clock_error_ms ELSE 0 END;
BEGIN
  PERFORM {schema}.dt_durability(true);
  g := {schema}.dt_open(p_group, p_interval_ms, p_stale_after_ms, p_observed_ms, lost_use_ms, p_wait_ms);
  g := {schema}.dt_remove_stale({schema}.dt_advance(g, p_observed_ms), p_incarnation);
  known := {schema}.dt_find_member(g.group_id, p_incarnation);
  IF g.interval_ms <> p_interval_ms AND g.pool_size > (known.incarnation IS NOT NULL)::integer THEN
    PERFORM {schema}.dt_put(g, p_channel);
    v.status := 'interval';
    v.store_time_ms := g.last_ms;
    v.interval_ms := g.interval_ms;
    RETURN v;
  END IF;
  IF g.interval_ms <> p_interval_ms THEN
    g.freed_epoch := NULL;
  END IF;
  g.interval_ms := p_interval_ms;
  g.learn_until_ms := greatest(g.learn_until_ms, g.learn_from_ms + CASE WHEN g.repairs > 0 THEN greatest(p_learning_ms, p_stale_after_ms) ELSE p_learning_ms END);
  g.keep_ms := greatest(g.keep_ms, 86400000 + 2 * p_stale_after_ms + p_resume_within_ms + p_interval_ms);

  holder := {schema}.dt_holder(g.group_id, p_id);
  IF known.standing = 'fenced' OR p_rejoin AND holder.incarnation <> p_incarnation THEN
    PERFORM {schema}.dt_put(g, p_channel);
    v.status := 'fenced';
    v.store_time_ms := g.last_ms;
    RETURN v;
  END IF;
  IF holder.incarnation <> p_incarnation AND holder.resume_within_ms > 0 AND holder.level IS NOT NULL THEN
    resume_level := holder.level;
  ELSE
    SELECT level INTO resume_level FROM {schema}.dt_level WHERE group_id = g.group_id AND id = p_id AND until_ms > g.last_ms;
  END IF;
  IF known.incarnation IS NOT NULL THEN
    RETURN {schema}.dt_accept_report(
      {schema}.dt_settle(g), known, p_seq, 0, 0, p_claim, p_max, p_level, NULL, NULL, p_want, p_sync_ms, NULL, NULL,
      resume_level, p_channel
    );
  END IF;
  g := {schema}.dt_recount(g);
  g.pool_size := g.pool_size + 1;
  g.held := g.held + p_claim;
  g.wants := {schema}.dt_counted(g.wants, want, 1);
  IF g.pool_size = 1 THEN
    g.capacity := p_max;
    g.quiet_limit_ms := p_stale_after_ms * 0.25;
    g.longest_stale_ms := p_stale_after_ms;
    g.clock_error_ms := p_clock_error_ms;
  ELSE
    g.capacity := least(g.capacity, p_max);
    g.quiet_limit_ms := least(g.quiet_limit_ms, p_stale_after_ms * 0.25);
    g.longest_stale_ms := greatest(g.longest_stale_ms, p_stale_after_ms);
    g.clock_error_ms := greatest(g.clock_error_ms, p_clock_error_ms);
  END IF;
  g := {schema}.dt_settle(g);
  IF p_rejoin THEN
    g := {schema}.dt_spend_all(g);
  END IF;
  g := {schema}.dt_next_generation(g);
  INSERT INTO {schema}.dt_member (
    group_id, incarnation, turn, id, seq, rank, generation, pool_size, held, max, level, stale_after_ms, clock_error_ms, resume_within_ms, expires_at_ms,
    due_ms, standing, joined, want
  ) VALUES (
    g.group_id, p_incarnation, 0, p_id, p_seq, g.pool_size - 1, 0, 0, p_claim, p_max, p_level, p_stale_after_ms, p_clock_error_ms, p_resume_within_ms,
    g.last_ms - g.lapsed_ms + p_stale_after_ms, g.last_ms - g.lapsed_ms + p_stale_after_ms,
    'newcomer', CASE WHEN p_rejoin THEN -g.generation ELSE g.generation END, want
  ) RETURNING * INTO m;
  RETURN {schema}.dt_answer(g, m, g.generation, g.pool_size, p_sync_ms, resume_level, p_channel);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_sync(
  p_group text, p_incarnation text, p_seq bigint, p_generation bigint, p_pool_size bigint, p_held bigint, p_max bigint, p_level float8,
  p_observed_ms float8, p_wait_ms integer, p_channel text, p_epoch bigint DEFAULT NULL, p_used bigint DEFAULT NULL,
  p_want bigint DEFAULT NULL, p_sync_ms float8 DEFAULT NULL, p_used_before bigint DEFAULT NULL, p_waiting bigint DEFAULT NULL
) RETURNS {schema}.dt_view LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger := {schema}.dt_lock(p_group, p_wait_ms);
  m {schema}.dt_member;
  v {schema}.dt_view;
  generation_before bigint := g.generation;
  offset_before_ms float8 := g.offset_ms;
  held_before bigint;
  repairs_before bigint;
  newcomer boolean;
BEGIN
  IF g.group_id IS NULL THEN
    v.status := 'unknown';
    v.store_time_ms := {schema}.dt_clock_ms();
    RETURN v;
  END IF;
  g := {schema}.dt_remove_stale({schema}.dt_settle({schema}.dt_advance(g, p_observed_ms)), p_incarnation);
  m := {schema}.dt_find_member(g.group_id, p_incarnation);
  IF m.incarnation IS NOT NULL THEN
    repairs_before := g.repairs;
    g := {schema}.dt_suspect(g, m);
    IF g.repairs <> repairs_before THEN
      m := {schema}.dt_find_member(g.group_id, p_incarnation);
    END IF;
  END IF;
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
  v := {schema}.dt_accept_report(
    g, m, p_seq, p_generation, p_pool_size, p_held, p_max, p_level, p_epoch, p_used, p_want, p_sync_ms, p_used_before, p_waiting,
    NULL, p_channel
  );
  PERFORM {schema}.dt_durability(
    newcomer OR v.generation <> generation_before OR v.held > held_before OR g.offset_ms <> offset_before_ms
  );
  RETURN v;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_take_part(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS text LANGUAGE plpgsql AS $$
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

CREATE OR REPLACE FUNCTION {schema}.dt_deregister(
  p_group text, p_incarnation text, p_level float8, p_observed_ms float8, p_wait_ms integer, p_channel text,
  p_epoch bigint DEFAULT NULL, p_used bigint DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  m {schema}.dt_member;
BEGIN
  PERFORM {schema}.dt_durability(true);
  g := {schema}.dt_lock(p_group, p_wait_ms);
  IF g.group_id IS NULL THEN
    RETURN;
  END IF;
  g := {schema}.dt_settle({schema}.dt_advance(g, p_observed_ms));
  m := {schema}.dt_find_member(g.group_id, p_incarnation);
  IF m.incarnation IS NOT NULL THEN
    m.level := coalesce(p_level, m.level);
    g := {schema}.dt_recount(g);
    m.rank := ({schema}.dt_find_member(g.group_id, p_incarnation)).rank;
    g := {schema}.dt_remove_member(g, m, p_epoch, p_used);
    g := {schema}.dt_membership_changed(g);
  END IF;
  PERFORM {schema}.dt_put(g, p_channel);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_inspect(p_group text) RETURNS TABLE (
  store_time_ms float8, group_generation bigint, capacity bigint, group_pool_size bigint, adopted bigint, group_held bigint,
  interval_ms float8, group_age_ms float8, learning boolean, id text, incarnation text, rank bigint, generation bigint, pool_size bigint,
  held bigint, max bigint, level float8, silent_ms float8, fenced boolean, want bigint,
  used bigint, waiting bigint
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
    {schema}.dt_learning(g), m.id, m.incarnation, m.rank, m.generation, m.pool_size, m.held, m.max, m.level,
    greatest(0, g.last_ms - g.lapsed_ms - (m.expires_at_ms - m.stale_after_ms)), m.standing = 'fenced', m.want,
    m.used, m.waiting
  FROM (VALUES (true)) one_row LEFT JOIN {schema}.dt_member m ON m.group_id = g.group_id ORDER BY m.rank;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_lock(p_key text, p_wait_ms integer) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
  s {schema}.dt_permit_state;
BEGIN
  SELECT * INTO s FROM {schema}.dt_permit_state WHERE key_id = (SELECT id FROM {schema}.dt_permit_key WHERE name = p_key)
    ORDER BY turn DESC LIMIT 1 FOR UPDATE;
  RETURN s;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_check(s {schema}.dt_permit_state, p_key text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (
    abs(s.tat_ms) <= 1e15 AND abs(s.last_ms) <= 1e15 AND abs(s.offset_ms) <= 1e15 AND abs(s.swept_ms) <= 1e15
    AND abs(s.freed_from_ms) <= 1e15 AND abs(s.needed_ms) <= 1e15 AND abs(s.keep_until_ms) <= 1e15
  ) THEN
    RAISE EXCEPTION 'the row of key % in dt_permit_state|a time that is none (tat_ms %, last_ms %, offset_ms %)', p_key, s.tat_ms, s.last_ms, s.offset_ms
      USING ERRCODE = 'DT002';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_advance(s {schema}.dt_permit_state) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
BEGIN
  IF clock_ms + s.offset_ms < s.last_ms THEN
    s.offset_ms := s.last_ms - clock_ms;
  END IF;
  s.last_ms := greatest(s.last_ms, clock_ms + s.offset_ms);
  RETURN s;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_put(s {schema}.dt_permit_state) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  s.needed_ms := greatest(s.needed_ms, s.tat_ms);
  IF s.terms IS NOT NULL THEN
    s.needed_ms := greatest(s.needed_ms, greatest(s.tat_ms, s.last_ms) + 10000);
  END IF;
  IF s.keep_until_ms < s.needed_ms - s.offset_ms THEN
    s.keep_until_ms := s.needed_ms - s.offset_ms + 60000;
  END IF;
  UPDATE {schema}.dt_permit_state SET
    turn = (s.writes + 1) / 256, writes = s.writes + 1, tat_ms = s.tat_ms, last_ms = s.last_ms, offset_ms = s.offset_ms, swept_ms = s.swept_ms,
    freed_from_ms = s.freed_from_ms, place = s.place, line_from = s.line_from, needed_ms = s.needed_ms, keep_until_ms = s.keep_until_ms,
    terms = s.terms, former_terms = s.former_terms
  WHERE key_id = s.key_id AND turn = s.turn;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_take_freed(s {schema}.dt_permit_state, p_width_ms float8, OUT at_ms float8, OUT width_ms float8) LANGUAGE plpgsql AS $$
DECLARE
  found_place bigint;
BEGIN
  DELETE FROM {schema}.dt_permit_freed f WHERE f.key_id = s.key_id AND f.at_ms >= s.freed_from_ms AND f.at_ms < s.last_ms;
  SELECT f.at_ms, f.place, f.width_ms INTO at_ms, found_place, width_ms FROM {schema}.dt_permit_freed f
    WHERE f.key_id = s.key_id AND f.at_ms >= s.last_ms AND f.width_ms >= p_width_ms ORDER BY f.at_ms, f.place LIMIT 1;
  DELETE FROM {schema}.dt_permit_freed f WHERE f.key_id = s.key_id AND f.at_ms = dt_permit_take_freed.at_ms AND f.place = found_place;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_add_freed(s {schema}.dt_permit_state, p_at_ms float8, p_width_ms float8)
RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
BEGIN
  s.place := s.place + 1;
  s.needed_ms := greatest(s.needed_ms, p_at_ms);
  INSERT INTO {schema}.dt_permit_freed (key_id, at_ms, place, width_ms) VALUES (s.key_id, p_at_ms, s.place, p_width_ms);
  RETURN s;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_ahead(s {schema}.dt_permit_state, p_id text, OUT ahead bigint, OUT own_place bigint) LANGUAGE plpgsql AS $$
BEGIN
  SELECT l.place INTO own_place FROM {schema}.dt_permit_line l WHERE l.key_id = s.key_id AND l.id = p_id;
  DELETE FROM {schema}.dt_permit_line l WHERE l.key_id = s.key_id AND l.place >= s.line_from
    AND l.place < coalesce(own_place, s.place + 1) AND l.until_ms <= s.last_ms;
  SELECT count(*) INTO ahead FROM {schema}.dt_permit_line l WHERE l.key_id = s.key_id AND l.place >= s.line_from
    AND l.place < coalesce(own_place, s.place + 1);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_leave_line(s {schema}.dt_permit_state, p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_permit_line WHERE key_id = s.key_id AND id = p_id;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_open(p_key text, p_wait_ms integer) RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
DECLARE
  s {schema}.dt_permit_state;
BEGIN
  FOR attempt IN 1 .. 5 LOOP
    s := {schema}.dt_permit_lock(p_key, p_wait_ms);
    IF s.key_id IS NOT NULL THEN
      RETURN s;
    END IF;
    PERFORM {schema}.dt_permit_create(p_key);
  END LOOP;
  RAISE EXCEPTION 'key % was created, and was gone again, five times', p_key USING ERRCODE = 'DT001';
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_create(p_key text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  own_id bigint;
  last_tat_ms float8 := 0;
  abandoned bigint;
BEGIN
  INSERT INTO {schema}.dt_permit_key (name) VALUES (p_key) ON CONFLICT (name) DO NOTHING RETURNING id INTO own_id;
  IF own_id IS NOT NULL THEN
    PERFORM {schema}.dt_permit_forget(own_id);
  ELSE
    IF EXISTS (SELECT FROM {schema}.dt_permit_state WHERE key_id = (SELECT id FROM {schema}.dt_permit_key WHERE name = p_key)) THEN
      RETURN;
    END IF;
    SELECT id INTO own_id FROM {schema}.dt_permit_key WHERE name = p_key FOR UPDATE;
    IF own_id IS NULL OR EXISTS (SELECT FROM {schema}.dt_permit_state WHERE key_id = own_id) THEN
      RETURN;
    END IF;
    SELECT coalesce(max(p.tat_before_ms + p.granted * p.step_ms), 0) INTO last_tat_ms FROM {schema}.dt_permit p WHERE p.key_id = own_id;
    DELETE FROM {schema}.dt_permit_freed WHERE key_id = own_id;
    DELETE FROM {schema}.dt_permit_line WHERE key_id = own_id;
  END IF;
  INSERT INTO {schema}.dt_permit_state (
    key_id, turn, writes, tat_ms, last_ms, offset_ms, swept_ms, freed_from_ms, place, line_from, needed_ms, keep_until_ms
  ) VALUES (own_id, 0, 0, last_tat_ms, clock_ms, 0, 0, 0, 0, 0, 0, 0);
  FOR abandoned IN
    SELECT key_id FROM {schema}.dt_permit_state WHERE keep_until_ms < clock_ms AND key_id <> own_id
    ORDER BY keep_until_ms LIMIT 2 FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM {schema}.dt_permit_forget(abandoned);
    DELETE FROM {schema}.dt_permit_key WHERE id = abandoned;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_forget(p_key_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_permit WHERE key_id = p_key_id;
  DELETE FROM {schema}.dt_permit_freed WHERE key_id = p_key_id;
  DELETE FROM {schema}.dt_permit_line WHERE key_id = p_key_id;
  DELETE FROM {schema}.dt_permit_state WHERE key_id = p_key_id;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_rounding_ms(r {schema}.dt_permit_request) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN least(r.burst / 4096, 0.1::float8);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_shift(r {schema}.dt_permit_request) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (least(greatest(r.cost, 1), r.burst) - r.burst) * r.every_ms;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_reserved_ahead(r {schema}.dt_permit_request, p_tat_ms float8, p_now_ms float8)
RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN floor(greatest(0, p_tat_ms - r.burst * r.every_ms - p_now_ms) / r.every_ms);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permitted(r {schema}.dt_permit_request, p_tat_ms float8, p_now_ms float8)
RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  granted integer := 0;
  t float8 := p_tat_ms;
  shift float8 := {schema}.dt_permit_shift(r);
  rounding_ms float8 := {schema}.dt_permit_rounding_ms(r);
BEGIN
  WHILE granted < r.count LOOP
    EXIT WHEN t + shift > p_now_ms + rounding_ms AND floor(greatest(0, t - r.burst * r.every_ms - p_now_ms) / r.every_ms) >= r.max_reserved;
    t := greatest(t, p_now_ms) + r.cost * r.every_ms;
    granted := granted + 1;
  END LOOP;
  RETURN granted;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_grant(
  s {schema}.dt_permit_state, r {schema}.dt_permit_request, p_granted integer, p_first_ms float8, p_tat_before_ms float8
) RETURNS {schema}.dt_reservation LANGUAGE plpgsql AS $$
DECLARE
  step_ms float8 := r.cost * r.every_ms;
  forget_at_ms float8 := greatest(s.last_ms, p_first_ms + (p_granted - 1) * step_ms) + r.keep_ms;
BEGIN
  INSERT INTO {schema}.dt_permit (key_id, id, granted, first_ms, step_ms, earliest_ms, tat_before_ms, forget_at_ms)
    VALUES (s.key_id, r.id, p_granted, p_first_ms, step_ms, s.last_ms, p_tat_before_ms, forget_at_ms);
  s.needed_ms := greatest(s.needed_ms, forget_at_ms);
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_durability(true);
  RETURN (
    p_granted, p_first_ms, step_ms, s.last_ms, 0, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, s.last_ms), s.last_ms, NULL
  )::{schema}.dt_reservation;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_reserve(
  p_key text, p_id text, p_count integer, p_cost float8, p_every_ms float8, p_burst float8, p_max_reserved float8, p_keep_ms float8,
  p_queue_ms float8, p_wait_ms integer, p_terms text DEFAULT NULL, p_former_terms text DEFAULT NULL
) RETURNS {schema}.dt_reservation LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_permit_state := {schema}.dt_permit_open(p_key, p_wait_ms);
  r {schema}.dt_permit_request := (p_id, p_count, p_cost, p_every_ms, p_burst, p_max_reserved, p_keep_ms, p_queue_ms);
  known {schema}.dt_permit;
  line record;
  freed record;
  now_ms float8;
  used_ms float8;
  offset_before_ms float8;
  step_ms float8 := p_cost * p_every_ms;
  judged_ms float8;
  permitted integer;
  tat_before_ms float8;
  retry_after_ms float8;
BEGIN
  PERFORM {schema}.dt_permit_check(s, p_key);
  offset_before_ms := s.offset_ms;
  used_ms := s.last_ms;
  s := {schema}.dt_permit_advance(s);
  now_ms := s.last_ms;
  DELETE FROM {schema}.dt_permit WHERE key_id = s.key_id AND forget_at_ms >= s.swept_ms AND forget_at_ms <= now_ms;
  s.swept_ms := now_ms;
  SELECT * INTO known FROM {schema}.dt_permit WHERE key_id = s.key_id AND id = p_id;
  IF known.id IS NOT NULL THEN
    PERFORM {schema}.dt_permit_put(s);
    PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
    RETURN (
      known.granted, known.first_ms, known.step_ms, known.earliest_ms, 0, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, now_ms), now_ms, NULL
    )::{schema}.dt_reservation;
  END IF;
  IF p_terms IS NOT NULL AND NOT (
    p_terms IS DISTINCT FROM s.terms AND p_former_terms IS DISTINCT FROM s.terms AND p_terms IS NOT DISTINCT FROM s.former_terms
  ) THEN
    IF s.terms IS NOT NULL AND now_ms - greatest(used_ms, s.tat_ms) <= 10000 AND p_terms <> s.terms AND p_former_terms IS DISTINCT FROM s.terms THEN
      PERFORM {schema}.dt_durability(false);
      RETURN (0, 0, 0, 0, 0, 0, now_ms, s.terms)::{schema}.dt_reservation;
    END IF;
    s.terms := p_terms;
    s.former_terms := p_former_terms;
  END IF;
  line := {schema}.dt_permit_ahead(s, p_id);
  IF line.ahead = 0 THEN
    s.line_from := coalesce(line.own_place, s.place + 1);
  END IF;
  IF line.ahead = 0 AND s.tat_ms + {schema}.dt_permit_shift(r) > now_ms + {schema}.dt_permit_rounding_ms(r) AND p_max_reserved > 0 THEN
    freed := {schema}.dt_permit_take_freed(s, step_ms);
    s.freed_from_ms := now_ms;
    IF freed.at_ms IS NOT NULL THEN
      IF freed.width_ms > step_ms THEN
        s := {schema}.dt_permit_add_freed(s, freed.at_ms + step_ms, freed.width_ms - step_ms);
      END IF;
      PERFORM {schema}.dt_permit_leave_line(s, p_id);
      RETURN {schema}.dt_permit_grant(s, r, 1, freed.at_ms, NULL);
    END IF;
  END IF;
  judged_ms := s.tat_ms;
  IF line.ahead > 0 THEN
    judged_ms := greatest(s.tat_ms, now_ms) + line.ahead * step_ms;
  END IF;
  permitted := {schema}.dt_permitted(r, judged_ms, now_ms);
  IF permitted = 0 THEN
    IF p_max_reserved = 0 THEN
      retry_after_ms := judged_ms + {schema}.dt_permit_shift(r) - now_ms;
    ELSE
      retry_after_ms := judged_ms - (p_burst + p_max_reserved) * p_every_ms + 0.001::float8 - now_ms;
    END IF;
    IF p_queue_ms > 0 THEN
      s := {schema}.dt_permit_line_up(s, p_id, line.own_place, now_ms + retry_after_ms + p_queue_ms);
    END IF;
    PERFORM {schema}.dt_permit_put(s);
    PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
    RETURN (0, 0, 0, 0, retry_after_ms, {schema}.dt_permit_reserved_ahead(r, s.tat_ms, now_ms), now_ms, NULL)::{schema}.dt_reservation;
  END IF;
  IF line.own_place IS NOT NULL THEN
    PERFORM {schema}.dt_permit_leave_line(s, p_id);
  END IF;
  tat_before_ms := greatest(s.tat_ms, now_ms);
  s.tat_ms := tat_before_ms + permitted * step_ms;
  RETURN {schema}.dt_permit_grant(s, r, permitted, tat_before_ms + {schema}.dt_permit_shift(r), tat_before_ms);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_line_up(s {schema}.dt_permit_state, p_id text, p_place bigint, p_until_ms float8)
RETURNS {schema}.dt_permit_state LANGUAGE plpgsql AS $$
BEGIN
  s.needed_ms := greatest(s.needed_ms, p_until_ms);
  IF p_place IS NULL THEN
    s.place := s.place + 1;
    INSERT INTO {schema}.dt_permit_line (key_id, place, id, until_ms) VALUES (s.key_id, s.place, p_id, p_until_ms);
  ELSE
    UPDATE {schema}.dt_permit_line SET until_ms = p_until_ms WHERE key_id = s.key_id AND place = p_place;
  END IF;
  RETURN s;
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_release(p_key text, p_id text, p_keep integer, p_wait_ms integer, p_channel text)
RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  s {schema}.dt_permit_state := {schema}.dt_permit_lock(p_key, p_wait_ms);
  entry {schema}.dt_permit;
  offset_before_ms float8 := s.offset_ms;
  at_ms float8;
BEGIN
  IF s.key_id IS NULL THEN
    RETURN;
  END IF;
  PERFORM {schema}.dt_permit_check(s, p_key);
  s := {schema}.dt_permit_advance(s);
  SELECT * INTO entry FROM {schema}.dt_permit WHERE key_id = s.key_id AND id = p_id;
  PERFORM {schema}.dt_permit_leave_line(s, p_id);
  IF entry.granted > p_keep THEN
    IF entry.tat_before_ms + entry.granted * entry.step_ms = s.tat_ms THEN
      s.tat_ms := entry.tat_before_ms + p_keep * entry.step_ms;
    ELSE
      FOR i IN p_keep .. entry.granted - 1 LOOP
        at_ms := greatest(entry.earliest_ms, entry.first_ms + i * entry.step_ms);
        IF at_ms > s.last_ms THEN
          s := {schema}.dt_permit_add_freed(s, at_ms, entry.step_ms);
        END IF;
      END LOOP;
    END IF;
    UPDATE {schema}.dt_permit SET granted = p_keep WHERE key_id = s.key_id AND id = p_id;
    PERFORM {schema}.dt_hint(p_channel);
  END IF;
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_durability(s.offset_ms <> offset_before_ms);
END $$;

CREATE OR REPLACE FUNCTION {schema}.dt_permit_reset(p_key text, p_wait_ms integer, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  s {schema}.dt_permit_state := {schema}.dt_permit_lock(p_key, p_wait_ms);
  left_over record;
BEGIN
  IF s.key_id IS NULL THEN
    RETURN;
  END IF;
  BEGIN
    PERFORM {schema}.dt_permit_check(s, p_key);
  EXCEPTION WHEN SQLSTATE 'DT002' THEN
    PERFORM {schema}.dt_permit_forget(s.key_id);
    PERFORM {schema}.dt_hint(p_channel);
    PERFORM {schema}.dt_durability(true);
    RETURN;
  END;
  s := {schema}.dt_permit_advance(s);
  DELETE FROM {schema}.dt_permit WHERE key_id = s.key_id AND (
    forget_at_ms <= s.last_ms OR granted > 0 AND greatest(earliest_ms, first_ms + (granted - 1) * step_ms) > s.last_ms + 60000
  );
  DELETE FROM {schema}.dt_permit_freed WHERE key_id = s.key_id;
  DELETE FROM {schema}.dt_permit_line WHERE key_id = s.key_id;
  SELECT max(greatest(earliest_ms, first_ms + (granted - 1) * step_ms)) AS at_ms, min(step_ms) AS width_ms INTO left_over
    FROM {schema}.dt_permit WHERE key_id = s.key_id AND granted > 0;
  s.tat_ms := least(s.tat_ms, greatest(
    s.last_ms, left_over.at_ms + CASE WHEN left_over.width_ms <= 60000 THEN left_over.width_ms ELSE 0 END
  ));
  s.swept_ms := s.last_ms;
  s.line_from := s.place + 1;
  s.terms := NULL;
  s.former_terms := NULL;
  PERFORM {schema}.dt_permit_put(s);
  PERFORM {schema}.dt_hint(p_channel);
  PERFORM {schema}.dt_durability(true);
END $$;
