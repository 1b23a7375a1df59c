-- The turn of a costly caller (R34), ported from slot-turn.ts of @dt/core's folder ledger: one that waits for more
-- slots than its member is ever due. In its turn the member is due what this caller costs, and the others share what is
-- left.
-- Cost: O(different wants), 304 at most.

-- The shortest wait for such a turn, in milliseconds: for each mean share that the caller costs.
local WAIT_MS = 100
-- The place in the queue of a member in such a turn: before all others.
local FRONT = 0

local divide, need_of = demand().divide, demand().need_of

local function cost_of(g, s)
  return math.min(s.head, g.capacity)
end

-- True where a caller costs more than its member is due, and more than a turn with a slot above the water level.
local function is_costly(w, s)
  return w.scarce and s.want > w.water_level and s.head > w.water_level + math.min(1, w.odd)
end

-- True where the first member of the queue has such a turn, or begins one: after a wait in which its mean share would
-- have come to as much. It stays the first one until its turn is over.
local function takes_costly_turn(g, w, first)
  if not is_costly(w, first) then return false end
  local wait_ms = (WAIT_MS * cost_of(g, first)) / (w.water_level + w.odd / w.takers)
  if g.last_ms - first.since_ms < wait_ms then return false end
  first.since_ms, first.tier = FRONT, 0
  return true
end

-- True where a member held all that its costly caller waited for.
local function had_costly_turn(g, s)
  return s.since_ms == FRONT and s.held >= cost_of(g, s)
end

-- True where the turn of a member is over unused: none of its callers is costly any more.
local function lost_costly_turn(w, known, s)
  return known.since_ms == FRONT and not is_costly(w, s)
end

-- What the member of such a turn is due, and what the others are due beside it.
local function divisions_beside(g, w, first)
  local cost = cost_of(g, first)
  -- Where it is alone there are no others.
  local beside = { capacity = g.capacity - cost, member_count = math.max(1, g.member_count - 1), wants = { unpack(g.wants) } }
  demand().count(beside, first.want, -1)
  local own, others = {}, divide(beside)
  for name, value in pairs(w) do own[name] = value end
  own.scarce, own.water_level, own.float, own.odd = false, cost, 0, 0
  -- Each keeps its place in the queue: there is always a slot that it could have in its own turn.
  others.scarce, others.extra, others.odd = true, 0, math.max(1, others.odd)
  return own, others
end
