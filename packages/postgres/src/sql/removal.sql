-- Members that leave or go stale. Port of the removal part of @dt/core's ledger.ts.

-- Remembers a member's last level (R13), and forgets levels whose time is over. Cost: O(log n + forgotten).
CREATE OR REPLACE FUNCTION {schema}.dt_remember_level(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF m.resume_within_ms <= 0 OR m.level IS NULL THEN
    RETURN;
  END IF;
  DELETE FROM {schema}.dt_level WHERE group_id = g.group_id AND until_ms <= g.last_ms;
  INSERT INTO {schema}.dt_level (group_id, id, level, until_ms) VALUES (g.group_id, m.id, m.level, g.last_ms + m.resume_within_ms)
    ON CONFLICT (group_id, id) DO UPDATE SET level = excluded.level, until_ms = excluded.until_ms;
END $$;

-- Takes a member out; the one with the last rank moves into the vacant rank, so that ranks stay dense (R10). The caller
-- makes the new generation. Nothing is known of the use of one that did not say farewell (nulls). Cost: O(log n).
CREATE OR REPLACE FUNCTION {schema}.dt_remove_member(g {schema}.dt_ledger, m {schema}.dt_member, p_epoch bigint, p_used bigint)
RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_member WHERE ctid = (SELECT {schema}.dt_place(g.group_id, m.incarnation));
  DELETE FROM {schema}.dt_slot WHERE ctid = (SELECT {schema}.dt_slot_place(g, m.incarnation));
  UPDATE {schema}.dt_member SET rank = m.rank WHERE ctid = (
    SELECT ctid FROM {schema}.dt_member WHERE group_id = g.group_id AND rank >= g.member_count - 1 ORDER BY rank LIMIT 1
  );
  g.member_count := g.member_count - 1;
  g.wants := {schema}.dt_counted(g.wants, m.want, -1);
  g.ahead_until_ms := greatest(g.ahead_until_ms, g.last_ms + m.clock_error_ms);
  g := {schema}.dt_free(g, m.held, 0, p_epoch, p_used);
  PERFORM {schema}.dt_remember_level(g, m);
  RETURN g;
END $$;

-- Removes stale members, never the caller (R4); looks at 1,000 members at most, those that are due first.
-- A member that is due but has reported since is only made due later. That keeps due_ms an old value of expires_at_ms,
-- and every member is looked at once per stale age. swept_ms keeps the index scan from walking over entries of the past
-- that no vacuum has removed yet.
-- Cost: one index look-up when no member is due.
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
      -- Read again: an earlier removal may have moved it to another rank.
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

-- After a crash of the server the last heartbeats may be missing, since they are committed without waiting for the disk
-- (dt_durability). What is missing is the end of the group's history, so it looks like a quiet stretch, of which little
-- counts; but of members that reported in it an earlier report is on record as the last. None may be removed for that:
-- each is given another stale age of silence, which in a group younger than that means silence since its creation.
-- Reports of what was used may be missing as well: it is not known any more, which dt_settle takes for all (R20). Rare.
-- Cost: one index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_recovered(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  age_ms float8 := g.last_ms - g.lapsed_ms - g.created_at_ms;
BEGIN
  INSERT INTO {schema}.dt_boot DEFAULT VALUES ON CONFLICT DO NOTHING;
  SELECT boot INTO g.boot FROM {schema}.dt_boot WHERE only_row;
  g.lapsed_ms := g.lapsed_ms + least(g.longest_stale_ms, greatest(age_ms, 0));
  g.freed_epoch := NULL;
  -- Liveness time went back: members that join now may be due before what was swept.
  g.swept_ms := '-infinity';
  RETURN g;
END $$;
