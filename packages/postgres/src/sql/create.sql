-- Groups that are new, and groups of which another program has emptied a table.

-- Locks a group, which it creates first if need be. Another one may create it, or forget it, at the same moment: then
-- it looks again, a few times and not for ever, since a statement goes on after its caller has given up. Cost: that of
-- dt_lock, if the group is there.
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

-- Creates a group unless another call just did. A name without a row in dt_ledger (that table was emptied) gets a
-- new one, and what is left of the group otherwise goes: its members claim what they hold, and the group learns first
-- (R8). So does one that is new soon after a table was emptied. Then forgets two abandoned groups, so that the dead
-- never outnumber those that were alive.
-- p_lost_use_ms: how long after a loss of data members may use what was lost.
-- Cost: O(log n), and the members of the groups forgotten.
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
  since_ms float8;
  abandoned bigint;
BEGIN
  INSERT INTO {schema}.dt_group (name) VALUES (p_group) ON CONFLICT (name) DO NOTHING RETURNING id INTO own_id;
  IF own_id IS NULL THEN
    is_new := false;
    IF EXISTS (SELECT FROM {schema}.dt_ledger WHERE group_id = (SELECT id FROM {schema}.dt_group WHERE name = p_group)) THEN
      RETURN;
    END IF;
    -- One at a time; a call that waited looks again.
    SELECT id INTO own_id FROM {schema}.dt_group WHERE name = p_group FOR UPDATE;
    IF own_id IS NULL OR EXISTS (SELECT FROM {schema}.dt_ledger WHERE group_id = own_id) THEN
      RETURN;
    END IF;
  END IF;
  was_there := NOT is_new OR EXISTS (SELECT FROM {schema}.dt_member WHERE group_id = own_id);
  SELECT greatest(p_stale_after_ms, max(stale_after_ms)) INTO longest_stale_ms FROM {schema}.dt_member WHERE group_id = own_id;
  -- Also a new id may have been another group's: when dt_group was emptied, and ids began anew.
  PERFORM {schema}.dt_forget(own_id);
  SELECT * INTO data FROM {schema}.dt_data WHERE only_row;
  since_ms := greatest(data.since_ms, clock_ms - {schema}.dt_proven_ms(clock_ms));
  INSERT INTO {schema}.dt_boot DEFAULT VALUES ON CONFLICT DO NOTHING;
  INSERT INTO {schema}.dt_ledger (
    group_id, turn, writes, generation, member_count, held, adopted, capacity, largest_member_count, interval_ms, created_at_ms,
    learn_from_ms, learn_until_ms, longest_stale_ms, clock_error_ms, ahead_until_ms, repairs, last_ms, offset_ms, lapsed_ms, quiet_limit_ms,
    swept_ms, boot, told_generation, told_agreed, keep_ms, keep_until_ms, freed_epoch, spent, wants
  ) VALUES (
    own_id, 0, 0, 0, 0, 0, 0, 0, 0, p_interval_ms, now_ms,
    CASE WHEN was_there THEN now_ms ELSE least(now_ms, since_ms + (now_ms - clock_ms)) END,
    CASE WHEN was_there THEN now_ms + longest_stale_ms ELSE 0 END, p_stale_after_ms, 0, 0,
    CASE WHEN was_there OR data.losses > 0 THEN 1 ELSE 0 END, now_ms, now_ms - clock_ms, 0, p_stale_after_ms * 0.25,
    0, (SELECT boot FROM {schema}.dt_boot WHERE only_row), 0, true, 0, clock_ms,
    -- Nothing was used of a group that is new, once no member can use what was lost (R20).
    CASE WHEN NOT was_there AND since_ms + p_lost_use_ms <= clock_ms THEN 0 END, 0, '{}'
  );
  -- Groups that a call is using at this moment are not abandoned: no waiting for them.
  FOR abandoned IN
    SELECT group_id FROM {schema}.dt_ledger WHERE keep_until_ms < clock_ms ORDER BY keep_until_ms LIMIT 2 FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM {schema}.dt_forget(abandoned);
    DELETE FROM {schema}.dt_group WHERE id = abandoned;
  END LOOP;
END $$;

-- Deletes everything of a group but its name.
CREATE OR REPLACE FUNCTION {schema}.dt_forget(p_group_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM {schema}.dt_member WHERE group_id = p_group_id;
  DELETE FROM {schema}.dt_slot WHERE group_id = p_group_id;
  DELETE FROM {schema}.dt_level WHERE group_id = p_group_id;
  DELETE FROM {schema}.dt_ledger WHERE group_id = p_group_id;
END $$;
