-- A limit's window and what was learned of its estimates, ported function by function from @dt/core (budgets/window.ts
-- and budgets/learning.ts): the same arithmetic on doubles, in the same order.
--
-- Slot n is the n-th part of a window since time 0. Those that have charges are kept as their distance from a base,
-- since small numbers are packed short.
--
-- Cost: O(1) for each slot; a limit has 241 at most, and those reserved ahead.

-- A window has so many slots: a charge counts for at most one slot longer than a window.
local SLOTS = 240
-- So many times the spread is kept free, and no more of a limit.
local SPREADS = 2
local MOST_MARGIN = 1 / 5

local function width_ms(limit)
  return limit.window_ms / SLOTS
end

-- When the charges of a slot leave the window: a window after its end.
local function leaves_ms(limit, place)
  return (limit.base + limit.slots[place] + 1 + SLOTS) * width_ms(limit)
end

-- Forgets the slots that are older than a window.
local function prune(limit, now_ms)
  local slots, units, count, over = limit.slots, limit.units, #limit.slots, 0
  while over < count and leaves_ms(limit, over + 1) <= now_ms do over = over + 1 end
  if over == 0 then return end
  local first = slots[over + 1] or 0
  for i = 1, count do slots[i], units[i] = slots[i + over] and slots[i + over] - first, units[i + over] end
  limit.base = limit.base + first
end

-- Units charged in the window that ends now, and ahead.
local function spent_of(limit)
  local spent, units = 0, limit.units
  for i = 1, #units do spent = spent + units[i] end
  return spent
end

-- Units in the fullest of the windows that hold an instant.
local function fullest_at(limit, at_ms)
  local slots, units, slot = limit.slots, limit.units, math.floor(at_ms / width_ms(limit)) - limit.base
  local fullest, held, first = 0, 0, 1
  for place, last in ipairs(slots) do
    if last > slot + SLOTS then break end
    held = held + units[place]
    while first <= place and slots[first] < math.max(last, slot) - SLOTS do
      held = held - units[first]
      first = first + 1
    end
    fullest = math.max(fullest, held)
  end
  return fullest
end

-- When a charge has room in every window that holds it: 0 for at once.
local function room_at(limit, cost, most)
  local spent, units = spent_of(limit), limit.units
  if spent + cost <= most then return 0 end
  local at_ms, place, count = limit.latest_ms, 1, #units
  while place <= count and spent + cost > most do
    spent = spent - units[place]
    at_ms = math.max(at_ms, leaves_ms(limit, place))
    place = place + 1
  end
  return at_ms
end

local function add(limit, number, more)
  local slots, place = limit.slots, #limit.slots
  if place == 0 then limit.base = number end
  local slot = number - limit.base
  while place > 0 and slots[place] > slot do place = place - 1 end
  if place > 0 and slots[place] == slot then
    limit.units[place] = limit.units[place] + more
  else
    table.insert(slots, place + 1, slot)
    table.insert(limit.units, place + 1, more)
  end
end

-- Charges units at an instant.
local function charge(limit, at_ms, more)
  add(limit, math.floor(at_ms / width_ms(limit)), more)
end

-- The place of the slot that holds an instant, or nil where it is older than a window.
local function place_of(limit, at_ms)
  local slots, slot = limit.slots, math.floor(at_ms / width_ms(limit)) - limit.base
  for place = #slots, 1, -1 do
    if slots[place] == slot then return place end
  end
end

-- Gives a limit another window. What was charged leaves it no earlier than a window of the new length later.
local function resize(limit, window_ms)
  if limit.window_ms == window_ms then return end
  local base, slots, units, old_ms = limit.base, limit.slots, limit.units, width_ms(limit)
  limit.window_ms, limit.slots, limit.units = window_ms, {}, {}
  for place, slot in ipairs(slots) do add(limit, math.ceil((base + slot + 1) * old_ms / width_ms(limit)) - 1, units[place]) end
end

-- What is left of an average after the time since.
local function left_of(limit, now_ms)
  return math.max(0, 1 - (now_ms - limit.learned_ms) / limit.window_ms)
end

-- Units of a limit that are kept free.
local function margin_of(limit, now_ms)
  local left = left_of(limit, now_ms)
  local margin = SPREADS * math.sqrt(limit.variance * left) - limit.surplus * left - limit.max / (2 * SLOTS)
  return math.min(limit.max * MOST_MARGIN, math.max(0, margin))
end

-- Learns from one settlement (B6).
local function learn(limit, wrong, ran_ms, now_ms)
  local left = left_of(limit, now_ms)
  local weight = math.min(math.max(0, ran_ms), limit.window_ms) / limit.window_ms
  limit.surplus = limit.surplus * left + wrong * weight
  limit.variance = limit.variance * left + wrong * wrong * weight
  limit.learned_ms = now_ms
end
