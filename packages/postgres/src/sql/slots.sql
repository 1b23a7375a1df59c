-- The queue of a semaphore (R28 to R34): to which member a free slot goes, and which one is asked for one. Port of
-- @dt/core's slot-queue.ts, slot-turn.ts, slot-answer.ts, slot-offers.ts and slot-asks.ts. It only chooses: that no
-- more is held than there is follows from the rules of the ledger alone. An operation looks at 32 members of the queue,
-- and at 32 of those that hold most. No sync of a throttle comes here.
--
-- All rows of a group have the turn of the group's own row, which moves on with every 256th write: so a look meets the
-- versions since then alone, however long PostgreSQL has to keep older ones.

-- True where a caller costs more than its member is due, and more than a turn with a slot above the water level (R34).
CREATE OR REPLACE FUNCTION {schema}.dt_costly(w {schema}.dt_division, p_want bigint, p_head bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT w.scarce AND p_want > w.water_level AND p_head > w.water_level + least(1, w.odd) $$;

-- What a member lacks (R28): tier 0 with slots to its need, 1 with a turn above the water level, 2 with nothing. One
-- with a costly caller lacks no slot until the turn of that caller (R34), and keeps its place in tier 0.
CREATE OR REPLACE FUNCTION {schema}.dt_lack(w {schema}.dt_division, p_held bigint, p_want bigint, p_head bigint, OUT tier integer, OUT slots bigint) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  need bigint := {schema}.dt_need(w, p_want);
BEGIN
  tier := 2;
  slots := 0;
  IF p_held < need THEN
    tier := 0;
    slots := need - p_held;
  ELSIF {schema}.dt_costly(w, p_want, p_head) THEN
    tier := 0;
  ELSIF w.scarce AND p_want > w.water_level AND p_held <= w.water_level THEN
    tier := 1;
    slots := w.water_level + 1 - p_held;
  END IF;
END $$;

-- The division that goes for a member.
CREATE OR REPLACE FUNCTION {schema}.dt_division_of(p_queue {schema}.dt_slot_queue, p_incarnation text) RETURNS {schema}.dt_division LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE WHEN p_incarnation = p_queue.costly THEN p_queue.own ELSE p_queue.others END $$;

-- What the members of a queue lack; with a tier only those of it.
CREATE OR REPLACE FUNCTION {schema}.dt_lacked_by(p_queue {schema}.dt_queued[], p_tier integer DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  q {schema}.dt_queued;
  slots bigint := 0;
BEGIN
  FOREACH q IN ARRAY p_queue LOOP
    IF p_tier IS NULL OR q.tier = p_tier THEN
      slots := slots + q.lacked;
    END IF;
  END LOOP;
  RETURN slots;
END $$;

-- Where a member's row in the queue is; null when it has none. Cost: one index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_slot_place(g {schema}.dt_ledger, p_incarnation text) RETURNS tid LANGUAGE plpgsql AS $$
DECLARE
  place tid;
BEGIN
  SELECT ctid INTO place FROM {schema}.dt_slot WHERE group_id = g.group_id AND turn = g.turn AND incarnation = p_incarnation;
  RETURN place;
END $$;

-- A member leaves the queue: it has lost its id, or has not reported for long.
CREATE OR REPLACE FUNCTION {schema}.dt_leave_queue(g {schema}.dt_ledger, p_incarnation text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE {schema}.dt_slot SET since_ms = NULL, offered_ms = NULL
  WHERE ctid = (SELECT {schema}.dt_slot_place(g, p_incarnation)) AND since_ms IS NOT NULL;
END $$;

-- These rows as a queue, in its order: by what is lacked, then by the time since which it is.
CREATE OR REPLACE FUNCTION {schema}.dt_in_order(p_queue {schema}.dt_slot_queue, p_rows {schema}.dt_slot[]) RETURNS {schema}.dt_slot_queue LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  SELECT coalesce(
      array_agg(
        (l.tier, s.since_ms, s.incarnation, s.held, s.want, s.seq, s.head, s.offered_ms, l.slots, false)::{schema}.dt_queued
        ORDER BY l.tier, s.since_ms, s.incarnation
      ), '{}'
    ) INTO p_queue.members
    FROM unnest(p_rows) s CROSS JOIN LATERAL {schema}.dt_lack({schema}.dt_division_of(p_queue, s.incarnation), s.held, s.want, s.head) l;
  RETURN p_queue;
END $$;

-- The queue in its order, as far as an operation looks, with p_mine in its place where it waits. Members that have not
-- reported for 2.5 s leave it. Where the first one has a costly caller that has waited long enough, or began its turn
-- before, what this caller costs is due to it, and the others share what is left (R34): since_ms and tier are then 0.
-- w: how the capacity is divided where there is no such turn. p_mine: the member that is answered, as it is now, or
-- null.
-- Cost: one look into the index of the queue; O(left * log n) more.
CREATE OR REPLACE FUNCTION {schema}.dt_queue(g {schema}.dt_ledger, w {schema}.dt_division, p_mine {schema}.dt_slot) RETURNS {schema}.dt_slot_queue LANGUAGE plpgsql AS $$
DECLARE
  s {schema}.dt_slot;
  rows {schema}.dt_slot[] := '{}';
  queue {schema}.dt_slot_queue;
  first {schema}.dt_queued;
  rest {schema}.dt_ledger := g;
  others {schema}.dt_division;
  cost bigint;
BEGIN
  IF p_mine.since_ms IS NOT NULL THEN
    rows := rows || p_mine;
  END IF;
  FOR s IN
    SELECT * FROM {schema}.dt_slot WHERE group_id = g.group_id AND turn = g.turn AND since_ms IS NOT NULL
      ORDER BY tier, since_ms, incarnation LIMIT 32
  LOOP
    CONTINUE WHEN s.incarnation = p_mine.incarnation;
    IF g.last_ms - s.reported_ms > 2500 THEN
      PERFORM {schema}.dt_leave_queue(g, s.incarnation);
    ELSE
      rows := rows || s;
    END IF;
  END LOOP;
  queue.own := w;
  queue.others := w;
  queue.members := '{}';
  IF cardinality(rows) = 0 THEN
    RETURN queue;
  END IF;
  queue := {schema}.dt_in_order(queue, rows);
  first := queue.members[1];
  cost := least(first.head, g.capacity);
  IF {schema}.dt_learning(g) OR NOT {schema}.dt_costly(w, first.want, first.head)
    -- So long its mean share would take to come to as much.
    OR g.last_ms - first.since_ms < 100::float8 * cost / (w.water_level + w.odd::float8 / w.takers) THEN
    RETURN queue;
  END IF;
  w.scarce := false;
  w.water_level := cost;
  w.kept := 0;
  w.odd := 0;
  rest.capacity := g.capacity - cost;
  -- Where it is alone there are no others.
  rest.member_count := greatest(1, g.member_count - 1);
  rest.wants := {schema}.dt_counted(g.wants, first.want, -1);
  others := {schema}.dt_divide(rest);
  -- Each keeps its place in the queue: there is always a slot that it could have in its own turn.
  others.scarce := true;
  others.extra := 0;
  others.odd := greatest(1, others.odd);
  queue.costly := first.incarnation;
  queue.own := w;
  queue.others := others;
  FOR i IN 1 .. cardinality(rows) LOOP
    s := rows[i];
    CONTINUE WHEN s.incarnation <> first.incarnation;
    IF s.since_ms <> 0 OR s.tier <> 0 THEN
      UPDATE {schema}.dt_slot SET since_ms = 0, tier = 0 WHERE ctid = (SELECT {schema}.dt_slot_place(g, s.incarnation));
    END IF;
    s.since_ms := 0;
    rows[i] := s;
  END LOOP;
  RETURN {schema}.dt_in_order(queue, rows);
END $$;

-- Raises those in the queue by what is free, on record, the first one first (R29, R30).
-- p_own, p_own_held: the member that is answered, whose row the caller writes, or nulls. offered: what the others were
-- raised by. Cost: O(log n) for each member that is raised.
CREATE OR REPLACE FUNCTION {schema}.dt_raise_queue(
  g {schema}.dt_ledger, p_queue {schema}.dt_slot_queue, p_own text, p_own_held bigint,
  OUT ledger {schema}.dt_ledger, OUT queue {schema}.dt_slot_queue, OUT own_held bigint, OUT offered bigint
) LANGUAGE plpgsql AS $$
DECLARE
  members {schema}.dt_queued[] := p_queue.members;
  q {schema}.dt_queued;
  more bigint;
BEGIN
  ledger := g;
  queue := p_queue;
  own_held := p_own_held;
  offered := 0;
  IF {schema}.dt_learning(g) THEN
    RETURN;
  END IF;
  FOR i IN 1 .. cardinality(members) LOOP
    q := members[i];
    more := least(q.lacked, ledger.capacity - ledger.held - CASE WHEN q.held > 0 THEN ({schema}.dt_division_of(queue, q.incarnation)).kept ELSE 0 END);
    CONTINUE WHEN more <= 0;
    IF q.incarnation = p_own THEN
      own_held := own_held + more;
      q.held := own_held;
    ELSE
      UPDATE {schema}.dt_member m SET held = m.held + more
      WHERE m.ctid = (SELECT {schema}.dt_place(g.group_id, q.incarnation)) RETURNING m.held INTO q.held;
      -- Another program deleted the row.
      CONTINUE WHEN q.held IS NULL;
      offered := offered + more;
    END IF;
    ledger.held := ledger.held + more;
    q.lacked := q.lacked - more;
    q.raised := true;
    members[i] := q;
  END LOOP;
  queue.members := members;
END $$;

-- Sends each member that was raised a hint of it, and one once more whose hint may be lost: it has not reported since
-- it was offered slots 250 ms ago (R30). Not to p_except, which reads the answer.
-- Cost: O(log n) for each hint.
CREATE OR REPLACE FUNCTION {schema}.dt_hint_offers(g {schema}.dt_ledger, p_queue {schema}.dt_slot_queue, p_except text, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  q {schema}.dt_queued;
  lacking integer := 0;
BEGIN
  FOREACH q IN ARRAY p_queue.members LOOP
    lacking := lacking + (q.lacked > 0)::integer;
  END LOOP;
  FOREACH q IN ARRAY p_queue.members LOOP
    CONTINUE WHEN q.incarnation = p_except OR NOT (q.raised OR coalesce(g.last_ms - q.offered_ms > 250, false));
    UPDATE {schema}.dt_slot SET
      held = q.held, offered_ms = g.last_ms, tier = CASE WHEN q.lacked > 0 THEN q.tier ELSE 2 END,
      held_since_ms = CASE WHEN q.raised THEN g.last_ms ELSE held_since_ms END
    WHERE ctid = (SELECT {schema}.dt_slot_place(g, q.incarnation));
    PERFORM {schema}.dt_slot_hint(
      p_channel, q.incarnation,
      format('offer %s %s %s %s', q.held, q.seq, ({schema}.dt_division_of(p_queue, q.incarnation)).water_level, (lacking > (q.lacked > 0)::integer)::integer)
    );
  END LOOP;
END $$;

-- Asks those for slots that hold most beyond their need, each once in 250 ms, as far as slots lack that no member was
-- asked for yet (R31). One that did not report after it was asked comes last. Where only turns lack, they learn that
-- others wait. Cost: two looks into the index of what is held, O(log n) for each hint.
CREATE OR REPLACE FUNCTION {schema}.dt_ask(g {schema}.dt_ledger, p_queue {schema}.dt_slot_queue, p_channel text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  needed bigint := {schema}.dt_lacked_by(p_queue.members, 0);
  turns bigint := {schema}.dt_lacked_by(p_queue.members, 1);
  told bigint;
  promised bigint;
  give bigint;
  holder record;
BEGIN
  IF needed + turns = 0 OR {schema}.dt_learning(g) THEN
    RETURN;
  END IF;
  SELECT count(*), coalesce(sum(h.asked), 0) INTO told, promised
    FROM (SELECT s.asked, s.asked_ms FROM {schema}.dt_slot s WHERE s.group_id = g.group_id AND s.turn = g.turn ORDER BY s.held DESC, s.incarnation LIMIT 32) h
    WHERE g.last_ms - h.asked_ms <= 250;
  IF promised >= needed AND (turns = 0 OR told > 0) THEN
    RETURN;
  END IF;
  FOR holder IN
    SELECT h.incarnation, h.surplus
      FROM (
        SELECT s.*, s.held - {schema}.dt_need({schema}.dt_division_of(p_queue, s.incarnation), s.want) AS surplus FROM {schema}.dt_slot s
        WHERE s.group_id = g.group_id AND s.turn = g.turn ORDER BY s.held DESC, s.incarnation LIMIT 32
      ) h
      WHERE h.surplus > 0 AND NOT coalesce(g.last_ms - h.asked_ms <= 250, false)
      ORDER BY h.asked_ms IS NOT NULL, h.surplus DESC, h.held_since_ms, h.incarnation
  LOOP
    EXIT WHEN promised >= needed AND told >= turns;
    give := greatest(0, least(needed - promised, holder.surplus));
    promised := promised + give;
    told := told + 1;
    UPDATE {schema}.dt_slot s SET asked_ms = g.last_ms, asked = give
    WHERE s.ctid = (SELECT {schema}.dt_slot_place(g, holder.incarnation));
    PERFORM {schema}.dt_slot_hint(p_channel, holder.incarnation, format('ask %s %s', give, ({schema}.dt_division_of(p_queue, holder.incarnation)).water_level));
  END LOOP;
END $$;

-- Raises members in the queue, this one in its turn (R28 to R31), and records it; the caller writes the group's row and
-- the member's. After its turn it goes to the end of the queue. A repeat (R11) reports nothing new, and its
-- answer may be read by no member.
-- p_waiting, p_head, p_took_offer: what the member reports of its callers.
-- Cost: one update, HOT unless what is held or the place in the queue changed; those of what it calls.
CREATE OR REPLACE FUNCTION {schema}.dt_answer_slots(
  g {schema}.dt_ledger, m {schema}.dt_member, w {schema}.dt_division, p_waiting bigint, p_head bigint, p_took_offer boolean, p_channel text,
  OUT ledger {schema}.dt_ledger, OUT held bigint, OUT want bigint, OUT division {schema}.dt_division, OUT offered bigint, OUT wanted boolean, OUT place bigint
) LANGUAGE plpgsql AS $$
DECLARE
  learning boolean := {schema}.dt_learning(g);
  mine {schema}.dt_slot;
  is_repeat boolean;
  had_turn boolean;
  lack record;
  queue {schema}.dt_slot_queue;
  free bigint;
  need bigint;
  served record;
  q {schema}.dt_queued;
  ahead bigint := 0;
BEGIN
  SELECT * INTO mine FROM {schema}.dt_slot s WHERE s.group_id = g.group_id AND s.turn = g.turn AND s.incarnation = m.incarnation;
  is_repeat := coalesce(mine.seq >= m.seq, false);
  IF NOT is_repeat THEN
    -- Its turn, or that of its costly caller.
    had_turn := p_took_offer AND (
      ({schema}.dt_lack(w, mine.held, mine.want, mine.head)).tier = 2 OR mine.since_ms = 0 AND mine.held >= least(mine.head, g.capacity)
    );
    -- Or that of a costly caller is over unused: none of its callers is costly any more.
    had_turn := had_turn OR mine.since_ms = 0 AND NOT {schema}.dt_costly(w, coalesce(m.want, 0), p_head);
    lack := {schema}.dt_lack(w, m.held, coalesce(m.want, 0), p_head);
    mine := (
      g.group_id, m.incarnation, g.turn, m.held, coalesce(m.want, 0), m.seq, p_head,
      CASE WHEN p_waiting = 0 OR lack.tier = 2 THEN NULL WHEN had_turn THEN g.last_ms ELSE coalesce(mine.since_ms, g.last_ms) END,
      2, g.last_ms, NULL, NULL, 0, CASE WHEN m.held = mine.held THEN mine.held_since_ms ELSE g.last_ms END
    );
  END IF;
  queue := {schema}.dt_queue(g, w, mine);
  IF queue.costly = mine.incarnation THEN
    mine.since_ms := 0;
    mine.tier := 0;
  END IF;
  division := {schema}.dt_division_of(queue, mine.incarnation);
  SELECT * INTO served FROM {schema}.dt_raise_queue(g, queue, m.incarnation, m.held);
  queue := served.queue;
  ledger := served.ledger;
  held := served.own_held;
  offered := served.offered;
  IF NOT is_repeat AND NOT learning THEN
    -- To its need, and to what each gets on top, of what is left (R22).
    need := {schema}.dt_need(division, coalesce(m.want, {schema}.dt_turns(g)::integer));
    free := ledger.capacity - ledger.held - {schema}.dt_lacked_by(queue.members) - CASE WHEN held < greatest(1, division.reserve) THEN 0 ELSE division.kept END;
    IF free > 0 AND held < need + (CASE WHEN g.member_count = 1 THEN division.extra ELSE (division.extra + 1) / 2 END) THEN
      ledger.held := ledger.held + least(free, need + division.extra - held);
      held := held + least(free, need + division.extra - held);
    END IF;
  END IF;
  IF held > m.held THEN
    mine.held := held;
    mine.held_since_ms := g.last_ms;
  END IF;
  want := mine.want;
  IF NOT is_repeat THEN
    -- One that lacks nothing any more leaves the queue, but not for the turn of a costly caller elsewhere.
    lack := {schema}.dt_lack(w, held, want, p_head);
    mine.tier := lack.tier;
    IF lack.tier = 2 OR mine.since_ms = 0 AND held >= least(p_head, g.capacity) THEN
      mine.since_ms := NULL;
    END IF;
  END IF;
  UPDATE {schema}.dt_slot s SET
    held = mine.held, want = mine.want, seq = mine.seq, head = mine.head, since_ms = mine.since_ms,
    tier = mine.tier, reported_ms = mine.reported_ms, offered_ms = mine.offered_ms, asked_ms = mine.asked_ms, asked = mine.asked,
    held_since_ms = mine.held_since_ms
  WHERE s.ctid = (SELECT {schema}.dt_slot_place(g, m.incarnation));
  IF NOT FOUND THEN
    INSERT INTO {schema}.dt_slot VALUES (mine.*);
  END IF;
  IF cardinality(queue.members) > 0 THEN
    PERFORM {schema}.dt_hint_offers(g, queue, CASE WHEN NOT is_repeat THEN m.incarnation END, p_channel);
    PERFORM {schema}.dt_ask(g, queue, p_channel);
  END IF;
  -- What those lack still that come before it, and whether another one lacks something.
  wanted := false;
  place := 0;
  FOREACH q IN ARRAY queue.members LOOP
    IF q.incarnation = m.incarnation THEN
      place := ahead;
    ELSE
      wanted := wanted OR q.lacked > 0;
      ahead := ahead + q.lacked;
    END IF;
  END LOOP;
END $$;

-- After an operation that answers no member: what was freed goes to the queue. The caller writes the group's row.
-- Cost: those of what it calls; none for a group whose interval is not 1 ms, which is one of throttles.
CREATE OR REPLACE FUNCTION {schema}.dt_serve_slots(g {schema}.dt_ledger, p_channel text) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
DECLARE
  served record;
BEGIN
  IF g.interval_ms <> 1 OR g.member_count = 0 THEN
    RETURN g;
  END IF;
  SELECT * INTO served FROM {schema}.dt_raise_queue(g, {schema}.dt_queue(g, {schema}.dt_divide(g), NULL), NULL, NULL);
  IF served.offered > 0 THEN
    PERFORM {schema}.dt_durability(true);
  END IF;
  PERFORM {schema}.dt_hint_offers(g, served.queue, NULL, p_channel);
  PERFORM {schema}.dt_ask(g, served.queue, p_channel);
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
