-- What another program has done to the rows of a group (R18). The tables refuse values that cannot be; rows can be
-- missing, and sums wrong, all the same.

-- Looks into a group at a heartbeat when something cannot be: ranks beyond the number of members, more held by one than
-- by all, a want that is not counted; or where for two stale ages those that have adopted and those that share by
-- demand were not all there are, or more was held than there is beside such (in these cases with one heartbeat of 16).
-- Makes a new generation if it had to mend. Cost: none; O(members) when it counts.
CREATE OR REPLACE FUNCTION {schema}.dt_suspect(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  repairs_before bigint := g.repairs;
BEGIN
  -- Generations are times.
  IF m.rank < g.member_count AND m.held <= g.held
    AND (m.want IS NULL OR g.wants[{schema}.dt_want_place(g.wants, m.want)] = m.want)
    AND (
      g.last_ms - g.generation < 2 * g.longest_stale_ms OR g.writes % 16 <> 0
      OR g.adopted + {schema}.dt_wanting(g.wants) = g.member_count AND (g.wants = '{}' OR g.held <= g.capacity)
    ) THEN
    RETURN g;
  END IF;
  g := {schema}.dt_count(g);
  IF g.repairs <> repairs_before THEN
    g := {schema}.dt_next_generation(g);
  END IF;
  RETURN g;
END $$;

-- Counts the members' rows before the membership changes: always in a group of up to 64, otherwise about once in 16
-- changes (generations are times, so that their last digits are as good as chance). Cost: O(members) when it counts.
CREATE OR REPLACE FUNCTION {schema}.dt_recount(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  IF g.member_count > 64 AND g.generation % 16 <> 0 THEN
    RETURN g;
  END IF;
  RETURN {schema}.dt_count(g);
END $$;

-- Counts the members' rows, and mends the group when its own row says something else. Cost: O(members).
CREATE OR REPLACE FUNCTION {schema}.dt_count(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  members bigint;
  tokens bigint;
  wanted bigint[];
BEGIN
  SELECT t.members, t.tokens, t.wants INTO members, tokens, wanted FROM {schema}.dt_totals(g.group_id) t;
  IF members <> g.member_count OR tokens <> g.held THEN
    RETURN {schema}.dt_mend(g);
  END IF;
  g.wants := wanted;
  RETURN g;
END $$;

-- Sets everything in a group's row that follows from its members' rows, and makes their ranks dense. The group then
-- learns for the longest stale age, since there may be members that are on record no more (R8). The caller makes the
-- new generation. Rare. Cost: O(members).
CREATE OR REPLACE FUNCTION {schema}.dt_mend(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  longest_before_ms float8 := g.longest_stale_ms;
BEGIN
  -- Out of each other's way first: ranks are unique at every moment.
  UPDATE {schema}.dt_member SET rank = rank + 1000000000 WHERE group_id = g.group_id;
  UPDATE {schema}.dt_member m SET rank = dense.rank
  FROM (SELECT incarnation, row_number() OVER (ORDER BY rank) - 1 AS rank FROM {schema}.dt_member WHERE group_id = g.group_id) dense
  WHERE m.group_id = g.group_id AND m.incarnation = dense.incarnation;
  -- Members stand in the queue of a semaphore again with their next report.
  DELETE FROM {schema}.dt_slot WHERE group_id = g.group_id;
  SELECT t.members, t.tokens, t.wants INTO g.member_count, g.held, g.wants FROM {schema}.dt_totals(g.group_id) t;
  g.adopted := 0;
  g.largest_member_count := g.member_count;
  g := {schema}.dt_declared(g);
  -- What was used of tokens that were not on record is on none either (R20).
  g.freed_epoch := NULL;
  g.swept_ms := '-infinity';
  g.repairs := g.repairs + 1;
  g.learn_from_ms := g.last_ms - g.lapsed_ms;
  g.learn_until_ms := greatest(g.learn_until_ms, g.learn_from_ms + greatest(g.longest_stale_ms, longest_before_ms));
  RETURN g;
END $$;

-- repair: looks at everything of a group, and sets right what is wrong; with p_reset forgets the members, who register
-- again and claim what they hold.
-- Input  group; whether to forget the members; longest wait for the group's lock in milliseconds; channel to notify, or
--        null
-- Output one row for each thing that was wrong, or one with a null; with the members that are left, and whether they
--        were forgotten
-- Cost   O(members)
CREATE OR REPLACE FUNCTION {schema}.dt_repair(p_group text, p_reset boolean, p_wait_ms integer, p_channel text)
RETURNS TABLE (found text, members bigint, reset boolean) LANGUAGE plpgsql SET enable_seqscan TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  declared {schema}.dt_ledger;
  counted bigint;
  tokens bigint;
  wanted bigint[];
  highest_rank bigint;
  strays bigint;
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
  IF counted <> g.member_count THEN
    problems := problems || format('member_count was %s, and there are %s members', g.member_count, counted);
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
    -- A person who resets a group wants it to go on.
    g.paused_until_ms := 0;
    g.told_paused_ms := 0;
  END IF;
  IF p_reset OR problems <> '{}' THEN
    g := {schema}.dt_next_generation({schema}.dt_mend(g));
    PERFORM {schema}.dt_put(g, p_channel);
  ELSE
    -- The queue only chooses: a wrong row in it is no reason to learn. Its members stand in it again with a report.
    DELETE FROM {schema}.dt_slot s WHERE s.group_id = g.group_id AND NOT EXISTS (
      SELECT FROM {schema}.dt_member m WHERE m.group_id = g.group_id AND m.incarnation = s.incarnation AND m.held = s.held AND s.turn = g.turn
    );
    GET DIAGNOSTICS strays = ROW_COUNT;
    IF strays > 0 THEN
      problems := array[format('%s rows of the queue did not fit their members', strays)];
    END IF;
  END IF;
  RETURN QUERY SELECT p.problem, counted, p_reset FROM (SELECT 1) one_row LEFT JOIN unnest(problems) p (problem) ON true;
END $$;
