-- What a member of a semaphore is answered (R28 to R34), ported from slot-answer.ts of @dt/core's folder ledger; with
-- the other parts what slots.rules() answers.
-- Cost: see there.

local function tier_of(w, s)
  local _, tier = lack_of(w, s)
  return tier
end

-- What is kept of a member that has reported. After its turn it goes to the end of the queue.
local function reported(g, w, m, known, report)
  local s = {
    incarnation = m.incarnation, held = m.held, want = m.want or 0, seq = m.seq, head = report.head, tier = 2, reported_ms = g.last_ms,
    offered_ms = false, asked_ms = false, asked = 0, since_ms = false,
    held_since_ms = known and known.held == m.held and known.held_since_ms or g.last_ms,
    stored_place = known and known.stored_place or false, stored_held = known and known.stored_held,
  }
  local had_turn = report.took_offer and known and (tier_of(w, known) == 2 or had_costly_turn(g, known))
  had_turn = had_turn or known and lost_costly_turn(w, known, s)
  if report.waiting > 0 and tier_of(w, s) < 2 then s.since_ms = not had_turn and known and known.since_ms or g.last_ms end
  return s
end

-- The place of this member in the queue: what those before it lack (R33).
local function place_of_slots(queue, mine)
  local before = 0
  for _, s in ipairs(queue) do
    if s == mine then return before end
    before = before + s.lacks
  end
  return 0
end

-- Raises members in the queue, this one in its turn, and hints to the others; answers how the capacity is divided, and
-- { over, wanted, place, turns } of the view.
local function answer_slots(g, m, report, sync_ms)
  local even, known = divide(g), slots_of(m.incarnation)
  -- A repeat reports nothing new, and its answer may be read by nobody (R11).
  local is_repeat = known and known.seq == m.seq
  local mine = is_repeat and known or reported(g, even, m, known, report)
  local queue, division_of = queue_of(g, even, mine)
  local w = division_of(mine)

  raise_queue(g, queue)
  if not is_repeat and not is_learning(g) then raise_slots(g, m, mine, demand().tokens(g, m, w, lacked_by(queue))) end
  demand().note_hunger(g, m.held, need_of(w, mine.want), sync_ms)
  -- A member that lacks nothing any more leaves the queue, but not for the turn of a costly caller elsewhere.
  if not is_repeat then
    mine.tier = tier_of(even, mine)
    if mine.tier == 2 or had_costly_turn(g, mine) then mine.since_ms = false end
  end
  put_member(m)
  put_slots(mine)
  hint_offers(g, queue, not is_repeat and mine)
  ask_for_slots(g, queue, division_of)
  local over, wanted = g.held > g.capacity, is_wanted(queue, mine)
  return w, { over and 1 or 0, wanted and 1 or 0, place_of_slots(queue, mine), w.odd }
end

-- After an operation that answers no member: what was freed goes to the queue (R30).
local function serve_slots(g)
  if g.interval_ms ~= SLOT_INTERVAL_MS or g.member_count == 0 then return end
  local queue, division_of = queue_of(g, divide(g))
  raise_queue(g, queue)
  hint_offers(g, queue)
  ask_for_slots(g, queue, division_of)
end

-- A member that has lost its id leaves the queue.
local function leave_queue(incarnation)
  local known = slots_of(incarnation)
  if known and known.since_ms then
    known.since_ms, known.offered_ms = false, false
    put_slots(known)
  end
end

return { answer = answer_slots, serve = serve_slots, leave = leave_queue, hint = hint_members }
