-- The queue of a semaphore (R28 to R33): to which member a free slot goes, and which one is asked for one. Port of
-- @dt/core's slot-queue.ts, slot-answer.ts and slot-hints.ts. It only chooses: that no more is held than there is
-- follows from the rules of the ledger alone. An operation looks at 32 members of the queue, and at 32 of those that
-- hold most. Groups of throttles do not come here.

-- Slots that a member lacks to its need, or, where slots are scarce, to a turn above the water level.
CREATE OR REPLACE FUNCTION {schema}.dt_slots_lacked(g {schema}.dt_ledger, w {schema}.dt_division, p_held bigint, p_want bigint, p_head bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_held < {schema}.dt_need(w, p_want) THEN {schema}.dt_need(w, p_want) - p_held
    WHEN w.scarce AND p_want > w.water_level THEN greatest(0, greatest(w.water_level + 1, least(p_head, g.capacity)) - p_held)
    ELSE 0
  END
$$;

-- Where a member's row in the queue is; null when it has none. Cost: one index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_slot_place(p_group_id bigint, p_incarnation text) RETURNS tid LANGUAGE plpgsql AS $$
DECLARE
  place tid;
BEGIN
  SELECT ctid INTO place FROM {schema}.dt_slot WHERE group_id = p_group_id AND incarnation = p_incarnation
    ORDER BY turn DESC LIMIT 1;
  RETURN place;
END $$;

-- The queue in its order, as far as an operation looks, without p_except: members below their need first, each kind by
-- the time since which it waits. Members that were not heard of for 2.5 s leave it. Cost: one look into the index of
-- the queue; O(left * log n) more.
CREATE OR REPLACE FUNCTION {schema}.dt_queue(g {schema}.dt_ledger, w {schema}.dt_division, p_except text) RETURNS {schema}.dt_queued[] LANGUAGE plpgsql AS $$
DECLARE
  queue {schema}.dt_queued[];
  silent text[];
BEGIN
  SELECT
    array_agg(
      (q.incarnation, q.held, q.seq, q.since_ms, q.offered_ms, q.lacked, q.needs)::{schema}.dt_queued
      ORDER BY q.needs DESC, q.since_ms, q.incarnation
    ) FILTER (WHERE NOT q.is_silent AND q.incarnation <> p_except),
    array_agg(q.incarnation) FILTER (WHERE q.is_silent)
    INTO queue, silent
  FROM (
    SELECT s.*, {schema}.dt_slots_lacked(g, w, s.held, s.want, s.head) AS lacked, s.held < {schema}.dt_need(w, s.want) AS needs,
      g.last_ms - s.heard_ms > 2500 AS is_silent
    FROM {schema}.dt_slot s WHERE s.group_id = g.group_id AND s.since_ms IS NOT NULL
    ORDER BY s.hungry DESC, s.since_ms, s.incarnation LIMIT 32
  ) q;
  FOR i IN 1 .. coalesce(cardinality(silent), 0) LOOP
    UPDATE {schema}.dt_slot SET since_ms = NULL, offered_ms = NULL WHERE ctid = (SELECT {schema}.dt_slot_place(g.group_id, silent[i]));
  END LOOP;
  RETURN coalesce(queue, '{}');
END $$;

-- What those lack that come before a member which lacks this, and is in the queue since then (R29).
CREATE OR REPLACE FUNCTION {schema}.dt_lacked_before(p_queue {schema}.dt_queued[], p_hungry boolean, p_since_ms float8) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  q {schema}.dt_queued;
  slots bigint := 0;
BEGIN
  FOREACH q IN ARRAY p_queue LOOP
    IF q.hungry AND NOT p_hungry OR q.hungry = p_hungry AND (p_since_ms IS NULL OR q.since_ms < p_since_ms) THEN
      slots := slots + q.lacked;
    END IF;
  END LOOP;
  RETURN slots;
END $$;

-- Judges a report in the queue (R28, R29): what the member is to be raised by, its row in the queue after that, and the
-- others of the queue. Writes nothing of it. A turn that the member gave up is over: it goes to the end. A report that
-- comes within 100 ms of an offer ends no turn: the member may not have received the hint of it.
-- p_waiting, p_head: slots that its callers wait for, and the first of these.
CREATE OR REPLACE FUNCTION {schema}.dt_judge(
  g {schema}.dt_ledger, m {schema}.dt_member, w {schema}.dt_division, p_waiting bigint, p_head bigint,
  OUT raised bigint, OUT mine {schema}.dt_slot, OUT others {schema}.dt_queued[], OUT place bigint
) LANGUAGE plpgsql AS $$
DECLARE
  learning boolean := {schema}.dt_learning(g);
  -- A repeat of a member that shares evenly by now has no want.
  want bigint := coalesce(m.want, 0);
  need bigint := {schema}.dt_need(w, coalesce(m.want, {schema}.dt_turns(g)::integer));
  free bigint;
  lacked bigint;
BEGIN
  others := {schema}.dt_queue(g, w, m.incarnation);
  SELECT * INTO mine FROM {schema}.dt_slot s WHERE s.group_id = m.group_id AND s.incarnation = m.incarnation
    ORDER BY s.turn DESC LIMIT 1;
  IF g.last_ms - mine.offered_ms >= 100 AND {schema}.dt_slots_lacked(g, w, mine.held, mine.want, mine.head) = 0 THEN
    mine.since_ms := NULL;
  END IF;
  IF m.held IS DISTINCT FROM mine.held THEN
    mine.held_since_ms := g.last_ms;
  END IF;
  mine := (
    m.group_id, m.incarnation, floor(g.last_ms / 10000)::bigint, m.held, want, m.seq, p_head, mine.since_ms,
    m.held < {schema}.dt_need(w, want), g.last_ms, NULL, NULL, 0, mine.held_since_ms
  );
  -- To its need, and to what each gets on top (R22).
  free := g.capacity - g.held - {schema}.dt_lacked_before(others, mine.hungry, mine.since_ms)
    - CASE WHEN m.held < greatest(1, w.reserve) THEN 0 ELSE w.kept END;
  raised := 0;
  IF free > 0 AND NOT learning AND m.held < need + (CASE WHEN g.member_count = 1 THEN w.extra ELSE (w.extra + 1) / 2 END) THEN
    raised := least(free, need + w.extra - m.held);
  END IF;
  mine.held := m.held + raised;
  mine.hungry := mine.held < {schema}.dt_need(w, want);
  lacked := {schema}.dt_slots_lacked(g, w, mine.held, want, p_head);
  IF p_waiting > 0 AND lacked > 0 THEN
    mine.since_ms := coalesce(mine.since_ms, g.last_ms);
    IF NOT mine.hungry AND NOT learning THEN
      -- To a turn above the water level.
      free := g.capacity - g.held - raised - {schema}.dt_lacked_before(others, false, mine.since_ms)
        - CASE WHEN mine.held > 0 THEN w.kept ELSE 0 END;
      IF free > 0 THEN
        raised := raised + least(free, lacked);
        mine.held := m.held + raised;
        lacked := {schema}.dt_slots_lacked(g, w, mine.held, want, p_head);
      END IF;
    END IF;
  END IF;
  IF raised > 0 THEN
    mine.held_since_ms := g.last_ms;
  END IF;
  IF p_waiting = 0 OR lacked = 0 THEN
    mine.since_ms := NULL;
  END IF;
  place := {schema}.dt_lacked_before(others, mine.hungry, mine.since_ms);
END $$;

-- Writes a member's row in the queue, after the member's own row, and serves the queue. Gives what the member holds
-- then, and how many slots were offered. Cost: one update, HOT unless
-- what is held or the place in the queue changed; that of dt_serve.
CREATE OR REPLACE FUNCTION {schema}.dt_stand(
  g {schema}.dt_ledger, w {schema}.dt_division, mine {schema}.dt_slot, others {schema}.dt_queued[], p_channel text,
  OUT ledger {schema}.dt_ledger, OUT held bigint, OUT offered bigint
) LANGUAGE plpgsql AS $$
DECLARE
  queue {schema}.dt_queued[] := others;
  served record;
BEGIN
  UPDATE {schema}.dt_slot SET
    turn = mine.turn, held = mine.held, want = mine.want, seq = mine.seq, head = mine.head, since_ms = mine.since_ms,
    hungry = mine.hungry, heard_ms = mine.heard_ms, offered_ms = NULL, asked_ms = NULL, asked = 0, held_since_ms = mine.held_since_ms
  WHERE ctid = (SELECT {schema}.dt_slot_place(mine.group_id, mine.incarnation));
  IF NOT FOUND THEN
    INSERT INTO {schema}.dt_slot VALUES (mine.*);
  END IF;
  IF mine.since_ms IS NOT NULL THEN
    SELECT array_agg(q ORDER BY q.hungry DESC, q.since_ms, q.incarnation) INTO queue
      FROM unnest(
        others || (
          mine.incarnation, mine.held, mine.seq, mine.since_ms, NULL,
          {schema}.dt_slots_lacked(g, w, mine.held, mine.want, mine.head), mine.hungry
        )::{schema}.dt_queued
      ) q;
  END IF;
  SELECT * INTO served FROM {schema}.dt_serve(g, w, queue, p_channel);
  ledger := served.ledger;
  offered := served.offered;
  -- The member may be among those that were raised.
  held := CASE WHEN offered > 0 THEN ({schema}.dt_find_member(g.group_id, mine.incarnation)).held ELSE mine.held END;
END $$;

-- Raises those in the queue by what is free, on record, and sends each a hint of it (R30): the hint of an offer that no
-- report followed is sent again after 250 ms, since it may be lost. Where slots still lack, asks those for some that
-- hold most beyond their need (R31). The caller writes the group's row.
-- Cost: O(log n) for each offer and each hint.
CREATE OR REPLACE FUNCTION {schema}.dt_serve(
  g {schema}.dt_ledger, w {schema}.dt_division, p_queue {schema}.dt_queued[], p_channel text,
  OUT ledger {schema}.dt_ledger, OUT offered bigint
) LANGUAGE plpgsql AS $$
DECLARE
  q {schema}.dt_queued;
  more bigint;
  now_held bigint;
  in_need bigint := 0;
  hungry bigint := 0;
  turns bigint := 0;
BEGIN
  ledger := g;
  offered := 0;
  IF {schema}.dt_learning(g) OR g.member_count = 0 THEN
    RETURN;
  END IF;
  FOREACH q IN ARRAY p_queue LOOP
    in_need := in_need + (q.lacked > 0)::integer;
  END LOOP;
  FOREACH q IN ARRAY p_queue LOOP
    more := greatest(0, least(q.lacked, ledger.capacity - ledger.held - CASE WHEN q.held > 0 THEN w.kept ELSE 0 END));
    IF more > 0 THEN
      UPDATE {schema}.dt_member SET held = held + more WHERE ctid = (SELECT {schema}.dt_place(g.group_id, q.incarnation))
        RETURNING held INTO now_held;
      IF NOT FOUND THEN
        -- Another program deleted the member's row.
        DELETE FROM {schema}.dt_slot WHERE ctid = (SELECT {schema}.dt_slot_place(g.group_id, q.incarnation));
        CONTINUE;
      END IF;
      q.held := now_held;
      ledger.held := ledger.held + more;
      offered := offered + more;
    END IF;
    IF more > 0 OR g.last_ms - q.offered_ms > 250 THEN
      UPDATE {schema}.dt_slot SET
        held = q.held, offered_ms = g.last_ms, held_since_ms = CASE WHEN more > 0 THEN g.last_ms ELSE held_since_ms END
      WHERE ctid = (SELECT {schema}.dt_slot_place(g.group_id, q.incarnation));
      PERFORM {schema}.dt_slot_hint(
        p_channel, q.incarnation,
        format('offer %s %s %s %s', q.held, q.seq, w.water_level, (in_need > (q.lacked > 0)::integer)::integer)
      );
    END IF;
    IF q.hungry THEN
      hungry := hungry + q.lacked - more;
    ELSE
      turns := turns + q.lacked - more;
    END IF;
  END LOOP;
  IF hungry + turns > 0 THEN
    PERFORM {schema}.dt_ask(g, w, hungry, turns, p_channel);
  END IF;
END $$;

-- Asks those that hold most beyond their need for slots, each once in 250 ms.
-- p_hungry: slots that members lack to their need. p_turns: slots that members lack to a turn above the water level: for
-- these, others only learn that they wait. Cost: two looks into the index of what is held, O(log n) for each hint.
CREATE OR REPLACE FUNCTION {schema}.dt_ask(g {schema}.dt_ledger, w {schema}.dt_division, p_hungry bigint, p_turns bigint, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  asked bigint;
  promised bigint;
  give bigint;
  holder record;
BEGIN
  SELECT count(*), coalesce(sum(h.asked), 0) INTO asked, promised
    FROM (SELECT s.asked, s.asked_ms FROM {schema}.dt_slot s WHERE s.group_id = g.group_id ORDER BY s.held DESC, s.incarnation DESC LIMIT 32) h
    WHERE g.last_ms - h.asked_ms <= 250;
  IF promised >= p_hungry AND (p_turns = 0 OR asked > 0) THEN
    RETURN;
  END IF;
  FOR holder IN
    SELECT h.incarnation, h.surplus
      FROM (
        SELECT s.*, s.held - {schema}.dt_need(w, s.want) AS surplus FROM {schema}.dt_slot s
        WHERE s.group_id = g.group_id ORDER BY s.held DESC, s.incarnation DESC LIMIT 32
      ) h
      WHERE h.surplus > 0 AND NOT coalesce(g.last_ms - h.asked_ms <= 250, false)
      ORDER BY h.surplus DESC, h.held_since_ms, h.incarnation
  LOOP
    IF promised >= p_hungry AND asked >= p_turns THEN
      RETURN;
    END IF;
    give := greatest(0, least(p_hungry - promised, holder.surplus));
    promised := promised + give;
    asked := asked + 1;
    UPDATE {schema}.dt_slot s SET asked_ms = g.last_ms, asked = give
      WHERE s.ctid = (SELECT {schema}.dt_slot_place(g.group_id, holder.incarnation));
    PERFORM {schema}.dt_slot_hint(p_channel, holder.incarnation, format('ask %s %s', give, w.water_level));
  END LOOP;
END $$;

-- After an operation that answers no member: what was freed goes to the queue. The caller writes the group's row.
-- p_left: the incarnation of a member that has lost its place in the queue, or null. Cost: that of dt_serve; none for a
-- group of throttles, whose interval is never 1 ms.
CREATE OR REPLACE FUNCTION {schema}.dt_hint_slots(g {schema}.dt_ledger, p_left text, p_channel text) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  w {schema}.dt_division;
  served record;
BEGIN
  IF g.interval_ms <> 1 THEN
    RETURN g;
  END IF;
  UPDATE {schema}.dt_slot SET since_ms = NULL, offered_ms = NULL WHERE ctid = (SELECT {schema}.dt_slot_place(g.group_id, p_left));
  IF g.member_count = 0 THEN
    RETURN g;
  END IF;
  w := {schema}.dt_divide(g);
  SELECT * INTO served FROM {schema}.dt_serve(g, w, {schema}.dt_queue(g, w, ''), p_channel);
  IF served.offered > 0 THEN
    PERFORM {schema}.dt_durability(true);
  END IF;
  RETURN served.ledger;
END $$;

-- Sends one member a hint once the statement has taken effect; does nothing when p_channel, that of the group's own
-- hints, is null.
CREATE OR REPLACE FUNCTION {schema}.dt_slot_hint(p_channel text, p_incarnation text, p_hint text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_channel IS NOT NULL THEN
    PERFORM pg_notify({schema}.dt_channel('slots' || substr(p_channel, 6) || ' ' || p_incarnation), p_hint);
  END IF;
END $$;
