-- sync: heartbeat and report (the only call in steady state).
-- Input  group, incarnation, seq, generation adopted, its member count, held, max, level or null; observed store time
--        and longest wait for the group's lock in milliseconds; channel to notify, or null; the newest epoch that the
--        member has begun, and how many tokens it used in it, or nulls; want and sync interval as in register; tokens
--        that it used in the last epoch that was over, and tokens that its callers wait for, or nulls; slots that its
--        callers wait for, those that the first of them waits for, and whether it took an offer, or nulls for one that
--        reports no slots (R28); for how long no member is to begin a call in milliseconds, or null (R35); whether its
--        limit is the stored one (R36)
-- Output a view; 'unknown' and 'fenced' with the store's time only
-- Cost   O(log n): two look-ups by key, one in the index of due members, two HOT updates; one more look-up with stored.
--        O(removed * log n) more when members went stale; O(different wants), 304 at most, for one that shares by
--        demand; one that reports slots updates a third row, and looks at 32 members of the queue and, where slots
--        lack, at 32 that hold most
CREATE OR REPLACE FUNCTION {schema}.dt_sync(
  p_group text, p_incarnation text, p_seq bigint, p_generation bigint, p_member_count bigint, p_held bigint, p_max bigint, p_level float8,
  p_observed_ms float8, p_wait_ms integer, p_channel text, p_epoch bigint, p_used bigint,
  p_want bigint, p_sync_ms float8, p_used_before bigint, p_waiting bigint, p_slots_waiting bigint, p_slots_head bigint,
  p_took_offer boolean, p_pause_ms float8, p_stored boolean
) RETURNS {schema}.dt_view LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger := {schema}.dt_lock(p_group, p_wait_ms);
  stored record := {schema}.dt_limit_for(p_group, p_stored, p_max);
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
  -- A sync from before the registration that arrived is a late message of a process that died.
  newcomer := m.standing = 'newcomer' AND p_generation >= abs(m.joined);
  IF newcomer THEN
    m.standing := {schema}.dt_take_part(g, m);
  END IF;
  IF m.incarnation IS NULL OR m.standing = 'fenced' THEN
    PERFORM {schema}.dt_put({schema}.dt_serve_slots(g, p_channel), p_channel);
    v.status := CASE WHEN m.incarnation IS NULL THEN 'unknown' ELSE 'fenced' END;
    v.store_time_ms := g.last_ms;
    RETURN v;
  END IF;
  -- A pause only ever grows, to a day at most.
  IF p_pause_ms > 0 THEN
    g.paused_until_ms := greatest(g.paused_until_ms, g.last_ms + least(p_pause_ms, 86400000));
  END IF;
  held_before := m.held;
  v := {schema}.dt_accept_report(
    g, m, p_seq, p_generation, p_member_count, p_held, p_max, p_level, p_epoch, p_used, p_want, p_sync_ms, p_used_before, p_waiting,
    NULL, p_channel, p_slots_waiting, p_slots_head, p_took_offer, stored.revision, stored.max
  );
  PERFORM {schema}.dt_durability(
    newcomer OR v.generation <> generation_before OR v.held > held_before OR coalesce(v.offered, 0) > 0 OR g.offset_ms <> offset_before_ms
    OR coalesce(p_pause_ms > 0, false)
  );
  RETURN v;
END $$;

-- The standing of a newcomer after its first sync that names the generation of its registration or a later one: it
-- becomes the holder of its id, and the holder so far is fenced, unless that one registered later (R3). Cost: O(log n).
CREATE OR REPLACE FUNCTION {schema}.dt_take_part(g {schema}.dt_ledger, m {schema}.dt_member) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  holder {schema}.dt_member := {schema}.dt_holder(g.group_id, m.id);
BEGIN
  IF holder.incarnation IS NOT NULL AND (m.joined < 0 OR holder.joined > m.joined) THEN
    UPDATE {schema}.dt_member SET standing = 'fenced'
    WHERE ctid = (SELECT {schema}.dt_place(g.group_id, m.incarnation));
    PERFORM {schema}.dt_leave_queue(g, m.incarnation);
    RETURN 'fenced';
  END IF;
  IF holder.incarnation IS NOT NULL THEN
    UPDATE {schema}.dt_member SET standing = 'fenced'
    WHERE ctid = (SELECT {schema}.dt_place(g.group_id, holder.incarnation));
    PERFORM {schema}.dt_leave_queue(g, holder.incarnation);
    PERFORM {schema}.dt_remember_level(g, holder);
  END IF;
  UPDATE {schema}.dt_member SET standing = 'holder'
  WHERE ctid = (SELECT {schema}.dt_place(g.group_id, m.incarnation));
  RETURN 'holder';
END $$;
