-- What a member is answered. Port of adopt and acceptReport of @dt/core's ledger.ts, and of its answer.ts,
-- entitlement.ts and view.ts.

-- Whether the member adopts the current generation: once, if it names it and holds no more than fair (R9). One that
-- shares by demand never does (R25).
CREATE OR REPLACE FUNCTION {schema}.dt_adopts(g {schema}.dt_ledger, m {schema}.dt_member, p_generation bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT p_generation = g.generation AND m.generation <> p_generation AND m.want IS NULL AND m.held <= g.capacity / g.member_count $$;

-- Records that the member has adopted the current generation, if it does; raises what it holds as far as the rules
-- allow (R7, R8, R9, R20, R22); writes both rows; answers.
-- p_generation: the generation that the member has adopted, 0 for none. p_sync_ms: the sync interval of one that shares
-- by demand, or null. From p_slots_waiting on: what a member of a semaphore reports of its callers, or nulls; it is
-- then raised in the queue (R29). Cost: two HOT updates; O(different wants) for one that shares by demand.
CREATE OR REPLACE FUNCTION {schema}.dt_answer(
  g {schema}.dt_ledger, m {schema}.dt_member, p_generation bigint, p_member_count bigint, p_sync_ms float8, p_resume_level float8, p_channel text,
  p_slots_waiting bigint, p_slots_head bigint, p_took_offer boolean
) RETURNS {schema}.dt_view LANGUAGE plpgsql AS $$
DECLARE
  -- How a capacity is divided: what each member may hold without agreement, and with it (a token of the remainder).
  fair bigint := g.capacity / g.member_count;
  most bigint := (g.capacity + g.member_count - 1) / g.member_count;
  learning boolean := {schema}.dt_learning(g);
  agree boolean;
  by_slots boolean := p_slots_waiting IS NOT NULL;
  by_demand boolean := by_slots OR m.want IS NOT NULL AND p_sync_ms IS NOT NULL;
  -- It shares evenly, and takes turns.
  by_turns boolean := m.want IS NULL AND {schema}.dt_turns(g);
  sync_ms float8 := CASE WHEN by_demand THEN p_sync_ms ELSE g.interval_ms END;
  unspent bigint := {schema}.dt_unspent(g);
  early bigint;
  raised bigint := 0;
  odd boolean;
  wants bigint := coalesce(m.want, 1);
  w {schema}.dt_division;
  served record;
  v {schema}.dt_view;
BEGIN
  IF {schema}.dt_adopts(g, m, p_generation) THEN
    m.generation := p_generation;
    m.member_count := p_member_count;
    g.adopted := g.adopted + 1;
    g.largest_member_count := greatest(g.largest_member_count, p_member_count);
  END IF;
  agree := NOT learning AND g.adopted = g.member_count AND NOT by_slots;
  IF by_slots THEN
    w := {schema}.dt_divide(g);
    SELECT * INTO served FROM {schema}.dt_answer_slots(g, m, w, p_slots_waiting, p_slots_head, p_took_offer, p_channel);
    g := served.ledger;
    m.held := served.held;
    wants := served.want;
    w := served.division;
    early := 0;
    v.is_over := g.held > g.capacity;
    v.wanted := served.wanted;
    v.place := served.place;
    v.turns := w.odd;
    v.offered := served.offered;
  ELSIF by_demand OR by_turns THEN
    w := {schema}.dt_divide(g);
    SELECT r.tokens, r.odd INTO raised, odd FROM {schema}.dt_demand_raise(g, m, w, unspent, sync_ms) r;
    m.odd := m.odd OR odd;
    -- Its token may start with the next interval, and is then good for a whole one.
    IF odd AND by_turns THEN
      m.rest_until_ms := g.last_ms + 2 * g.interval_ms;
    END IF;
    early := least(unspent, raised);
  ELSE
    early := least(unspent, greatest(0, fair - m.held));
    IF agree THEN
      g.largest_member_count := g.member_count;
      raised := most - m.held;
    ELSIF NOT learning AND m.held < fair THEN
      raised := least(g.capacity - g.held, fair - m.held);
    END IF;
  END IF;
  IF raised > 0 THEN
    m.held := m.held + raised;
    g.held := g.held + raised;
  END IF;
  IF by_demand OR by_turns THEN
    g.hungry_ms := {schema}.dt_hunger(g, m.held, {schema}.dt_need(w, wants), sync_ms);
  ELSIF g.wants <> '{}' THEN
    -- Beside members that share by demand it may have to wait until these give up what it is due.
    g.hungry_ms := {schema}.dt_hunger(g, m.held, fair, 1000);
  END IF;
  UPDATE {schema}.dt_member SET
    seq = m.seq, generation = m.generation, member_count = m.member_count, held = m.held, max = m.max, level = m.level,
    expires_at_ms = m.expires_at_ms, want = m.want, odd = m.odd, gave_up_ms = m.gave_up_ms, rest_until_ms = m.rest_until_ms,
    used = m.used, waiting = m.waiting
  -- As dt_place does, without the call.
  WHERE ctid = (
    SELECT ctid FROM {schema}.dt_member WHERE group_id = m.group_id AND incarnation = m.incarnation ORDER BY turn DESC LIMIT 1
  );
  PERFORM {schema}.dt_put(g, p_channel);
  v.status := CASE WHEN agree THEN 'agree' ELSE 'disagree' END;
  v.store_time_ms := g.last_ms;
  v.generation := g.generation;
  v.member_count := g.member_count;
  v.reported_member_count := CASE WHEN agree THEN g.member_count ELSE g.largest_member_count END;
  v.rank := m.rank;
  v.held := m.held;
  v.capacity := g.capacity;
  v.clock_error_ms := greatest(g.clock_error_ms, g.ahead_until_ms - g.last_ms);
  v.group_age_ms := g.last_ms - g.created_at_ms;
  v.learning := learning;
  v.resume_level := p_resume_level;
  v.paused_for_ms := greatest(0, g.paused_until_ms - g.last_ms);
  -- What the member may use, how much of the raise an epoch earlier than the rest, and from which epoch on all of it
  -- (R19, R20). One that shares by demand may use all that it holds, unless more is held than there is (R24).
  -- One that shares evenly may use the even part; where it takes turns, what it needs and the token of its turn.
  v.entitled := CASE
    WHEN g.held > g.capacity THEN least(m.held, fair)
    WHEN m.want IS NOT NULL THEN m.held
    WHEN by_turns THEN least(m.held, {schema}.dt_need({schema}.dt_divide(g), 1) + CASE WHEN m.odd AND g.last_ms < m.rest_until_ms THEN 1 ELSE 0 END)
    ELSE least(m.held, fair)
  END;
  v.early := early;
  v.from_epoch := coalesce(g.freed_epoch, {schema}.dt_newest_epoch(g)) + 1;
  IF by_demand THEN
    v.water_level := w.water_level;
    v.reserve := w.reserve;
    v.extra := w.extra;
    v.odd := m.odd;
    v.hungry := {schema}.dt_hungry(g, p_sync_ms);
    -- Nothing is free, or less than a quarter of the spare.
    v.tight := w.scarce OR v.hungry OR (g.member_count > 1 AND (g.held >= g.capacity OR (g.capacity - g.held) * 4 < w.spare));
  END IF;
  RETURN v;
END $$;

-- Heartbeat, want, activity, capacity and lowering (R4, R6, R7, R20, R21, R27, R36), unless the request is a repeat
-- (R11); then the answer.
-- p_limit_revision, p_limit_max: the limit of a request with stored, or nulls.
CREATE OR REPLACE FUNCTION {schema}.dt_accept_report(
  g {schema}.dt_ledger, m {schema}.dt_member, p_seq bigint, p_generation bigint, p_member_count bigint, p_held bigint, p_max bigint,
  p_level float8, p_epoch bigint, p_used bigint, p_want bigint, p_sync_ms float8, p_used_before bigint, p_waiting bigint,
  p_resume_level float8, p_channel text,
  p_slots_waiting bigint, p_slots_head bigint, p_took_offer boolean, p_limit_revision bigint, p_limit_max bigint
) RETURNS {schema}.dt_view LANGUAGE plpgsql AS $$
DECLARE
  own_max bigint := CASE WHEN p_limit_revision IS NULL THEN p_max END;
  want bigint := {schema}.dt_want_on_grid(p_want);
  is_new_limit boolean := p_limit_revision IS NOT NULL AND p_limit_revision IS DISTINCT FROM g.stored_revision;
  capacity bigint;
BEGIN
  IF p_seq <= m.seq THEN
    RETURN {schema}.dt_answer(g, m, 0, 0, p_sync_ms, p_resume_level, p_channel, p_slots_waiting, p_slots_head, p_took_offer);
  END IF;
  m.seq := p_seq;
  m.level := p_level;
  m.used := p_used_before;
  m.waiting := p_waiting;
  IF want IS DISTINCT FROM m.want THEN
    g.wants := {schema}.dt_counted({schema}.dt_counted(g.wants, m.want, -1), want, 1);
    m.want := want;
    IF want IS NULL THEN
      -- One that shares evenly has no turns, and none to come back to.
      m.odd := false;
      m.gave_up_ms := 0;
      m.rest_until_ms := 0;
    END IF;
  END IF;
  m.expires_at_ms := g.last_ms - g.lapsed_ms + m.stale_after_ms;
  IF is_new_limit OR own_max IS DISTINCT FROM m.max THEN
    IF is_new_limit THEN
      g.stored_revision := p_limit_revision;
      g.stored_max := p_limit_max;
    END IF;
    m.max := own_max;
    UPDATE {schema}.dt_member SET max = own_max
    WHERE ctid = (SELECT {schema}.dt_place(m.group_id, m.incarnation));
    g := {schema}.dt_keep_copy(g);
    capacity := {schema}.dt_capacity_of(g);
    IF capacity <> g.capacity THEN
      g := {schema}.dt_next_generation({schema}.dt_set_capacity(g, capacity));
    END IF;
  END IF;
  IF p_held < m.held THEN
    g := {schema}.dt_free(g, m.held - p_held, p_held, p_epoch, p_used);
    m.held := p_held;
    IF m.odd THEN
      m := {schema}.dt_end_turn(g, m, coalesce(p_sync_ms, 1.25::float8 * g.interval_ms));
    END IF;
  END IF;
  IF want IS NULL AND (m.odd OR m.rest_until_ms <> 0) THEN
    m := {schema}.dt_limit_even_turn(g, m, p_used);
  END IF;
  g.largest_member_count := greatest(g.largest_member_count, p_member_count);
  IF {schema}.dt_adopts(g, m, p_generation) THEN
    -- The split before may have been in use in its newest epoch: the next one starts later.
    g := {schema}.dt_free(g, 0, p_held, p_epoch, p_used);
  END IF;
  RETURN {schema}.dt_answer(g, m, p_generation, p_member_count, p_sync_ms, p_resume_level, p_channel, p_slots_waiting, p_slots_head, p_took_offer);
END $$;
