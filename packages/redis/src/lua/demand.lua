-- Shares that follow demand (R21 to R23), ported from wants.ts, water-level.ts and demand.ts of @dt/core's folder
-- ledger: the same arithmetic on doubles, in the same order. What demand() answers; a group that nobody
-- shares by demand needs none of it.
--
-- Cost: O(different wants), 304 at most.

-- The part of a capacity that is kept for members that want nothing just now: a fiftieth.
local KEPT_PART = 50
-- Steps of the grid between a number and its double.
local STEPS = 8
-- Somebody that got less than it needs counts for as long as all members need to hear of it.
local HUNGRY_SYNCS, HUNGRY_MS = 1.1, 200
-- Hunger is noted about once in a sync, and at least so often. Syncs come a little early: of one that starves on end
-- not only every second one is to count.
local HUNGER_NOTED_MS, HUNGER_NOTED_PART = 1000, 3 / 4
-- The part of its turn that a member rests for each that waits for one: a little less, so that none lies idle.
local REST_PART = 0.9
-- The turn of a member that shares evenly lasts so many intervals, if it uses nothing.
local EVEN_TURN_INTERVALS = 2
-- So many intervals are the sync interval of a member that shares evenly, which does not say its own.
local EVEN_SYNC_INTERVALS = 1.25

-- The next want on the grid that is not below so many tokens.
local function on_grid(tokens)
  local step = 1
  while tokens >= 2 * STEPS * step do step = step * 2 end
  return math.ceil(tokens / step) * step
end

-- Changes how many members want so much; false for one that shares evenly.
local function count(g, want, by)
  if not want then return end
  local wants = g.wants
  g.packed_wants = nil
  local at = 1
  while at < #wants and wants[at] < want do at = at + 2 end
  if wants[at] == want then
    wants[at + 1] = wants[at + 1] + by
    if wants[at + 1] > 0 then return end
    table.remove(wants, at)
    table.remove(wants, at)
  elseif by > 0 then
    table.insert(wants, at, by)
    table.insert(wants, at, want)
  end
end

-- A member shares evenly: it keeps no odd token and no rest (R23).
local function share_evenly(m)
  m.want, m.odd, m.gave_up_ms, m.rest_until_ms = false, false, 0, 0
end

-- Takes in what a member wants now; false when it shares evenly (R21).
local function change_want(g, m, want)
  want = want and on_grid(want)
  if want == m.want then return end
  count(g, m.want, -1)
  count(g, want, 1)
  if want then m.want = want else share_evenly(m) end
end

-- What a member counts as wanting; nil for one that has the fair part, without turns.
local function counted_want(g, m)
  return m.want or turns(g) and 1 or nil
end

-- The counts with as many more members that want 1, of which there may be none yet.
local function with_ones(wants, members)
  local all = { wants = { unpack(wants) } }
  count(all, 1, members)
  return all.wants
end

-- How the capacity is divided by what members want, by one scan of the counts; members that share evenly get their even
-- part first. Where that is 0, each counts as wanting 1.
local function divide(g)
  local wants, demanding = g.wants, 0
  for i = 2, #wants, 2 do demanding = demanding + wants[i] end
  local even = math.max(0, g.member_count - demanding)
  if even > 0 and turns(g) then wants = with_ones(wants, even) end
  local keep = math.floor(g.capacity / KEPT_PART)
  local reserve = math.floor(keep / g.member_count)
  local idle = wants[1] == 0 and wants[2] or 0
  local float = reserve > 0 and 0 or math.min(keep, idle)
  local takers = 0
  for i = 2, #wants, 2 do takers = takers + wants[i] end
  local parts = g.capacity - float - even * (fair_of(g.capacity, g.member_count))
  local below = 0
  for i = 1, #wants, 2 do
    local due = math.max(reserve, math.min(g.capacity, wants[i]))
    if below + takers * due > parts then
      local water_level = math.floor((parts - below) / takers)
      local odd = parts - below - takers * water_level
      return { scarce = true, water_level = water_level, reserve = reserve, extra = 0, float = float, spare = 0, odd = odd, takers = takers }
    end
    below = below + wants[i + 1] * due
    takers = takers - wants[i + 1]
  end
  local spare = parts - below
  -- One half is handed out, the other stays free for whoever wants more next: nobody, where one member is alone. One
  -- token for each, if there are so many.
  local extra = spare
  if g.member_count > 1 then extra = math.max(math.floor(math.floor(spare / 2) / g.member_count), spare >= g.member_count and 1 or 0) end
  return { scarce = false, water_level = g.capacity, reserve = reserve, extra = extra, float = float, spare = spare, odd = 0, takers = 0 }
end

-- What a member is due that wants this much, without what it gets on top (R22).
local function need_of(w, want)
  return math.min(math.max(want, w.reserve), w.water_level)
end

-- True while somebody was answered less than it needs, a sync interval of the asking member ago at most.
local function is_hungry(g, sync_ms)
  return g.hungry_ms and g.last_ms - g.hungry_ms < HUNGRY_SYNCS * sync_ms + HUNGRY_MS or false
end

-- Notes that a member was answered less than it needs, by more than a sixteenth.
local function note_hunger(g, held, need, sync_ms)
  sync_ms = sync_ms or HUNGER_NOTED_MS
  if is_learning(g) or held >= need - math.floor(need / 16) then return end
  if g.hungry_ms and g.last_ms - g.hungry_ms < HUNGER_NOTED_PART * math.min(HUNGER_NOTED_MS, sync_ms) then return end
  g.hungry_ms = g.last_ms
end

-- Tokens that cannot be divided take turns (R23): one goes to a member at the water level that has rested, or to
-- anybody when one lies idle.
local function has_turn(g, m, w, tokens, idle, sync_ms)
  if not w.scarce or w.odd == 0 or is_hungry(g, sync_ms) then return false end
  if m.held + tokens ~= w.water_level or counted_want(g, m) <= w.water_level then return false end
  return g.last_ms >= m.rest_until_ms or (idle > 0 and g.last_ms - m.gave_up_ms >= g.interval_ms)
end

-- What a member is to be raised by to its need, and to what it gets on top (R22), and what is free for it. So many free
-- tokens are for others (R29).
local function tokens_of(g, m, w, before)
  local free_tokens = g.capacity - g.held - (m.held < math.max(1, w.reserve) and 0 or w.float) - before
  if free_tokens <= 0 then return 0, free_tokens end
  local need = need_of(w, counted_want(g, m))
  local most_below = g.member_count == 1 and w.extra or math.ceil(w.extra / 2)
  return m.held < need + most_below and math.min(free_tokens, need + w.extra - m.held) or 0, free_tokens
end

-- What a member that wants something is to be raised by, and whether one of these is an odd token.
local function raise_of(g, m, w, idle, sync_ms)
  if is_learning(g) then return 0, false end
  local tokens, free_tokens = tokens_of(g, m, w, 0)
  local odd = free_tokens > tokens and has_turn(g, m, w, tokens, idle - tokens, sync_ms)
  return odd and tokens + 1 or tokens, odd
end

-- Raises a member by what it wants; answers how many tokens may be used an epoch earlier than the rest, and how the
-- capacity is divided.
local function raise_by_demand(g, m, sync_ms)
  local idle, w = unspent(g), divide(g)
  local tokens, odd = raise_of(g, m, w, idle, sync_ms)
  if tokens > 0 then
    m.held = m.held + tokens
    g.held = g.held + tokens
  end
  if odd then
    m.odd = true
    if not m.want then m.rest_until_ms = g.last_ms + EVEN_TURN_INTERVALS * g.interval_ms end
  end
  note_hunger(g, m.held, need_of(w, counted_want(g, m)), sync_ms)
  return math.min(idle, tokens), w
end

-- A member that holds an odd token has given tokens up: it rests until others have had their turn.
local function end_turn(g, m, sync_ms)
  if not m.odd then return end
  sync_ms = sync_ms or EVEN_SYNC_INTERVALS * g.interval_ms
  local w = divide(g)
  local others = w.scarce and w.odd > 0 and w.takers / w.odd - 1 or 0
  m.odd, m.gave_up_ms = false, g.last_ms
  m.rest_until_ms = g.last_ms + REST_PART * others * sync_ms * math.max(1, w.water_level)
end

-- One that shares evenly does not know of turns: its own is over with the first report which says that it has used
-- something, or when the token was there for an interval. It is entitled to the token no more then, and gives it up.
local function limit_even_turn(g, m, use)
  if m.want then return end
  if not turns(g) then
    share_evenly(m)
  elseif m.odd and use and use.used > 0 then
    m.rest_until_ms = math.min(m.rest_until_ms, g.last_ms)
  end
end

-- What one that shares evenly may use where it takes turns: what it needs, and the token of its turn.
local function part_of_even(g, m)
  return need_of(divide(g), 1) + (m.odd and g.last_ms < m.rest_until_ms and 1 or 0)
end

-- What a member is told besides what it holds: water level, reserve, extra, odd, tight, hungry.
local function view_of(g, m, w, sync_ms)
  local hungry = is_hungry(g, sync_ms)
  local free_tokens = g.capacity - g.held
  local tight = w.scarce or hungry or (g.member_count > 1 and (free_tokens <= 0 or free_tokens < w.spare / 4))
  return w.water_level, w.reserve, w.extra, m.odd and 1 or 0, tight and 1 or 0, hungry and 1 or 0
end

return {
  on_grid = on_grid, count = count, change_want = change_want, divide = divide, need_of = need_of, tokens = tokens_of, note_hunger = note_hunger,
  raise = raise_by_demand, end_turn = end_turn, limit_even_turn = limit_even_turn, part_of_even = part_of_even, view_of = view_of,
}
