-- register: a member joins, or claims its place again.
-- Input  group, incarnation, id, seq, rejoin, claim, max; interval, stale age, learning in milliseconds; level or null;
--        resume within and observed store time in milliseconds; longest wait for the group's lock in milliseconds;
--        channel to notify, or null; clock error in milliseconds; tokens that it wants and its sync interval in
--        milliseconds, or nulls for one that shares evenly (R21); slots that its callers wait for, those that the first
--        of them waits for, and whether it took an offer, or nulls for one that reports no slots (R28); whether its
--        limit is the stored one (R36)
-- Output a view; 'fenced' with the store's time only; 'interval' with the interval that the group runs with (R14)
-- Cost   O(log n); O(removed * log n) more when members went stale
CREATE OR REPLACE FUNCTION {schema}.dt_register(
  p_group text, p_incarnation text, p_id text, p_seq bigint, p_rejoin boolean, p_claim bigint, p_max bigint, p_interval_ms float8,
  p_stale_after_ms float8, p_learning_ms float8, p_level float8, p_resume_within_ms float8, p_observed_ms float8,
  p_wait_ms integer, p_channel text, p_clock_error_ms float8, p_want bigint, p_sync_ms float8,
  p_slots_waiting bigint, p_slots_head bigint, p_took_offer boolean, p_stored boolean
) RETURNS {schema}.dt_view LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  known {schema}.dt_member;
  holder {schema}.dt_member;
  m {schema}.dt_member;
  v {schema}.dt_view;
  stored record;
  resume_level float8;
  own_max bigint;
  want bigint := {schema}.dt_want_on_grid(p_want);
  -- A share that was lost is valid for as long as the group would learn, and used to the end of an epoch. Without
  -- learning nothing can be lost.
  lost_use_ms float8 := CASE WHEN p_learning_ms > 0 THEN p_learning_ms + p_interval_ms + 2 * p_clock_error_ms ELSE 0 END;
BEGIN
  PERFORM {schema}.dt_durability(true);
  g := {schema}.dt_open(p_group, p_interval_ms, p_stale_after_ms, p_observed_ms, lost_use_ms, p_wait_ms);
  stored := {schema}.dt_limit_for(p_group, p_stored, p_max);
  g := {schema}.dt_remove_stale({schema}.dt_advance(g, p_observed_ms), p_incarnation);
  known := {schema}.dt_find_member(g.group_id, p_incarnation);
  IF g.interval_ms <> p_interval_ms AND g.member_count > (known.incarnation IS NOT NULL)::integer THEN
    PERFORM {schema}.dt_put(g, p_channel);
    v.status := 'interval';
    v.store_time_ms := g.last_ms;
    v.interval_ms := g.interval_ms;
    RETURN v;
  END IF;
  -- Epochs of another length have other numbers, and the queue is for one length alone.
  IF g.interval_ms <> p_interval_ms THEN
    g.freed_epoch := NULL;
    DELETE FROM {schema}.dt_slot WHERE group_id = g.group_id;
  END IF;
  g.interval_ms := p_interval_ms;
  g.learn_until_ms := greatest(g.learn_until_ms, g.learn_from_ms + CASE WHEN g.repairs > 0 THEN greatest(p_learning_ms, p_stale_after_ms) ELSE p_learning_ms END);
  -- A day after the last sign of life no member is left, no level is remembered, and the epoch is over in which tokens
  -- were used: a group that is made again is new (R20).
  g.keep_ms := greatest(g.keep_ms, 86400000 + 2 * p_stale_after_ms + p_resume_within_ms + p_interval_ms);

  holder := {schema}.dt_holder(g.group_id, p_id);
  IF known.standing = 'fenced' OR p_rejoin AND holder.incarnation <> p_incarnation THEN
    PERFORM {schema}.dt_put({schema}.dt_serve_slots(g, p_channel), p_channel);
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
    RETURN {schema}.dt_accept_report(
      {schema}.dt_settle(g), known, p_seq, 0, 0, p_claim, p_max, p_level, NULL, NULL, p_want, p_sync_ms, NULL, NULL,
      resume_level, p_channel, p_slots_waiting, p_slots_head, p_took_offer, stored.revision, stored.max
    );
  END IF;
  g := {schema}.dt_recount(g);
  IF stored.revision IS NOT NULL AND stored.revision IS DISTINCT FROM g.stored_revision THEN
    g.stored_revision := stored.revision;
    g.stored_max := stored.max;
    IF g.member_count > 0 THEN
      g := {schema}.dt_set_capacity(g, {schema}.dt_capacity_of(g));
    END IF;
  END IF;
  own_max := CASE WHEN stored.revision IS NULL THEN p_max END;
  g.member_count := g.member_count + 1;
  g.held := g.held + p_claim;
  g.wants := {schema}.dt_counted(g.wants, want, 1);
  IF g.member_count = 1 THEN
    g.capacity := coalesce(own_max, g.stored_max);
    g.quiet_limit_ms := p_stale_after_ms * 0.25;
    g.longest_stale_ms := p_stale_after_ms;
    g.clock_error_ms := p_clock_error_ms;
  ELSE
    g.capacity := least(g.capacity, coalesce(own_max, g.stored_max));
    g.quiet_limit_ms := least(g.quiet_limit_ms, p_stale_after_ms * 0.25);
    g.longest_stale_ms := greatest(g.longest_stale_ms, p_stale_after_ms);
    g.clock_error_ms := greatest(g.clock_error_ms, p_clock_error_ms);
  END IF;
  -- A member of before may be ahead by as much as this one.
  g := {schema}.dt_settle(g);
  -- What it used beyond its claim, before its row was gone, is on no record.
  IF p_rejoin THEN
    g := {schema}.dt_spend_all(g);
  END IF;
  g := {schema}.dt_next_generation(g);
  INSERT INTO {schema}.dt_member (
    group_id, incarnation, turn, id, seq, rank, generation, member_count, held, max, level, stale_after_ms, clock_error_ms, resume_within_ms, expires_at_ms,
    due_ms, standing, joined, want, odd, gave_up_ms, rest_until_ms
  ) VALUES (
    g.group_id, p_incarnation, 0, p_id, p_seq, g.member_count - 1, 0, 0, p_claim, own_max, p_level, p_stale_after_ms, p_clock_error_ms, p_resume_within_ms,
    g.last_ms - g.lapsed_ms + p_stale_after_ms, g.last_ms - g.lapsed_ms + p_stale_after_ms,
    'newcomer', CASE WHEN p_rejoin THEN -g.generation ELSE g.generation END, want, false, 0, 0
  ) RETURNING * INTO m;
  RETURN {schema}.dt_answer(g, m, g.generation, g.member_count, p_sync_ms, resume_level, p_channel, p_slots_waiting, p_slots_head, p_took_offer);
END $$;

