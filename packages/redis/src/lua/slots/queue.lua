-- The queue of a semaphore (R28 to R31), ported from slot-queue.ts, slot-offers.ts and slot-asks.ts of @dt/core's
-- folder ledger: the same arithmetic on doubles, in the same order. To which member a free slot goes, and which one is
-- asked for one. Of a row in the queue, `lacks` is what it lacks still, `lacks_in` the tier of that, and `raised` is
-- true where this operation has raised it.
-- Cost: O(SLOT_LOOK * log SLOT_LOOK), and what the functions of table.lua cost.

-- A member that has not reported for so long leaves the queue, in milliseconds.
local QUEUE_MS = 2500
-- A member that has not reported since its offer is sent it again after so long, in milliseconds.
local AGAIN_MS = 250
-- A member is asked for slots once in so long, in milliseconds.
local ASK_MS = 250

-- What a member lacks to its need, or, where slots are scarce, to a turn above the water level (R28); and the tier: 0
-- for the former, 1 for the latter, 2 for one that lacks nothing. One with a costly caller lacks no slot until the turn
-- of that caller (R34), and keeps its place.
local function lack_of(w, s)
  local need = need_of(w, s.want)
  if s.held < need then return need - s.held, 0 end
  if is_costly(w, s) then return 0, 0 end
  local turn = w.scarce and s.want > w.water_level and w.water_level + 1 or 0
  if s.held < turn then return turn - s.held, 1 end
  return 0, 2
end

-- Puts members in order: by tier, then by the time since which they are in the queue. The division is another one for
-- the first where a costly caller has its turn.
local function in_order(queue, w, first, w_of_first)
  for _, s in ipairs(queue) do
    s.division, s.raised = s == first and w_of_first or w, false
    s.lacks, s.lacks_in = lack_of(s.division, s)
  end
  table.sort(queue, function(a, b)
    if a.lacks_in ~= b.lacks_in then return a.lacks_in < b.lacks_in end
    if a.since_ms ~= b.since_ms then return a.since_ms < b.since_ms end
    return a.incarnation < b.incarnation
  end)
end

-- The queue in its order, as far as one operation looks, and a function that gives the division for each member, in the
-- queue or not. A member that has not reported for long leaves it. The member that is answered is there as it is now.
local function queue_of(g, w, mine)
  local queue = { mine and mine.since_ms and mine or nil }
  for _, s in ipairs(first_slots(g, QUEUE)) do
    local is_mine = mine and s.incarnation == mine.incarnation
    if not is_mine and g.last_ms - s.reported_ms > QUEUE_MS then
      s.since_ms, s.offered_ms = false, false
      put_slots(s)
    elseif not is_mine then
      queue[#queue + 1] = s
    end
  end
  in_order(queue, w)
  local first = queue[1]
  if not first or is_learning(g) or not takes_costly_turn(g, w, first) then return queue, function() return w end end
  put_slots(first)
  local own, others = divisions_beside(g, w, first)
  in_order(queue, others, first, own)
  return queue, function(s) return s.incarnation == first.incarnation and own or others end
end

-- What these members lack; only what they lack in a tier, where one is given.
local function lacked_by(queue, tier)
  local sum = 0
  for _, s in ipairs(queue) do
    if s.lacks_in == (tier or s.lacks_in) then sum = sum + s.lacks end
  end
  return sum
end

-- True where another member than this one lacks something.
local function is_wanted(queue, but)
  for _, other in ipairs(queue) do
    if other ~= but and other.lacks > 0 then return true end
  end
  return false
end

-- Raises one member.
local function raise_slots(g, m, s, more)
  if more <= 0 then return end
  m.held, g.held = m.held + more, g.held + more
  s.held, s.held_since_ms = m.held, g.last_ms
end

-- Raises those in the queue by what is free, on record, the first one first (R29, R30).
local function raise_queue(g, queue)
  if is_learning(g) then return end
  for _, s in ipairs(queue) do
    local more = math.min(s.lacks, g.capacity - g.held - (s.held > 0 and s.division.float or 0))
    local m = more > 0 and get_member(s.incarnation)
    if m then
      raise_slots(g, m, s, more)
      put_member(m)
      s.lacks, s.raised = s.lacks - more, true
    end
  end
end

local function add_hint(incarnation, ...)
  slots.hints[#slots.hints + 1] = { incarnation = incarnation, text = table.concat({ ... }, ' ') }
end

-- Sends each member that was raised a hint of it, and one once more whose hint may be lost (R30); not the member whose
-- answer has it already. What the hint says of a member is read in the member's own row.
local function hint_offers(g, queue, answered)
  for _, s in ipairs(queue) do
    local is_late = s.offered_ms and g.last_ms - s.offered_ms > AGAIN_MS
    local m = s ~= answered and (s.raised or is_late) and get_member(s.incarnation)
    if m then
      s.offered_ms = g.last_ms
      s.tier = s.lacks > 0 and s.lacks_in or 2
      put_slots(s)
      local wanted = is_wanted(queue, s) and '1' or '0'
      add_hint(s.incarnation, 'offer', text(m.held), text(m.seq), text(s.division.water_level), wanted)
    end
  end
end

-- Asks those for slots that hold most beyond their need, as far as slots lack that no member was asked for yet (R31).
-- One that did not report after it was asked comes last. Where only turns lack, they learn that others wait.
local function ask_for_slots(g, queue, division_of)
  local needed = lacked_by(queue, 0)
  local turns = lacked_by(queue) - needed
  if is_learning(g) or needed + turns == 0 then return end
  local candidates, told, promised = {}, 0, 0
  for _, s in ipairs(first_slots(g, HOLDERS)) do
    s.surplus = s.held - need_of(division_of(s), s.want)
    if s.asked_ms and g.last_ms - s.asked_ms <= ASK_MS then
      told, promised = told + 1, promised + s.asked
    elseif s.surplus > 0 then
      candidates[#candidates + 1] = s
    end
  end
  if promised >= needed and (turns == 0 or told > 0) then return end
  table.sort(candidates, function(a, b)
    if not a.asked_ms ~= not b.asked_ms then return not a.asked_ms end
    if a.surplus ~= b.surplus then return a.surplus > b.surplus end
    if a.held_since_ms ~= b.held_since_ms then return a.held_since_ms < b.held_since_ms end
    return a.incarnation < b.incarnation
  end)
  for _, s in ipairs(candidates) do
    local lacked = needed - promised
    if lacked <= 0 and told >= turns then return end
    local give = math.max(0, math.min(lacked, s.surplus))
    promised, told = promised + give, told + 1
    s.asked_ms, s.asked = g.last_ms, give
    put_slots(s)
    add_hint(s.incarnation, 'ask', text(give), text(division_of(s).water_level))
  end
end
