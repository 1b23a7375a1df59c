-- The arithmetic of buckets, ported function by function from @dt/core (keyed/buckets.ts and limit-in-force.ts): the
-- same rules K2 to K9 of keyed-ledger.ts, the same arithmetic on doubles, in the same order.
--
-- Cost: O(1) for a request of a process that holds no units and takes no slot; otherwise O(n).

-- A limit binds for so long after the last use of a bucket (K9).
local TERMS_HOLD_MS = 10000
local floor = math.floor
-- A process that waits keeps its place for so long after it should have asked again.
local PLACE_MS = 250

local function every_ms(row)
  return row.max > 0 and row.window_ms / row.max or 0
end

-- Units that processes have in hand.
local function held_of(row)
  local sum = 0
  if row.holds then
    for _, hold in ipairs(row.holds) do sum = sum + hold.units end
  end
  return sum
end

-- The part of a list with this id.
local function part_of(list, id)
  if not list then return nil end
  for _, part in ipairs(list) do
    if part.id == id then return part end
  end
end

-- The parts of a list that stay; false where none does.
local function only(list, stays)
  local left = {}
  for _, part in ipairs(list) do
    if stays(part) then left[#left + 1] = part end
  end
  return #left > 0 and left
end

-- Lets units come back, as many as have room beside what is in hand.
local function come_back(row, ms)
  if row.max > 0 and ms > 0 then
    local used, held = row.used - ms * row.max / row.window_ms, held_of(row)
    row.used = used > held and used or held
  end
end

-- Units in hand whose time is over are spent, in the order of their times: from when on others come back.
local function spend_held(row, from_ms)
  table.sort(row.holds, function(a, b) return a.until_ms < b.until_ms end)
  while row.holds[1] and row.holds[1].until_ms <= row.last_ms do
    local until_ms = row.holds[1].until_ms
    come_back(row, until_ms - from_ms)
    from_ms = largest(from_ms, until_ms)
    table.remove(row.holds, 1)
  end
  if #row.holds == 0 then row.holds = false end
  return from_ms
end

-- Lets a bucket's time go on to the server's (K2): it never goes back.
local function advance(row)
  local from_ms = row.last_ms
  if clock_ms + row.offset_ms < from_ms then row.offset_ms = from_ms - clock_ms end
  -- The sum may be rounded to less.
  local now_ms = largest(from_ms, clock_ms + row.offset_ms)
  row.last_ms = now_ms
  if row.slots then row.slots = only(row.slots, function(slot) return slot.until_ms > now_ms end) end
  if row.holds then from_ms = spend_held(row, from_ms) end
  come_back(row, now_ms - from_ms)
end

-- True for two limits that are the same.
local function is_same(one, other)
  return one.max == other.max and one.burst == other.burst and one.window_ms == other.window_ms and one.concurrent == other.concurrent
end

local function assign(row, limit)
  row.max, row.window_ms, row.burst, row.concurrent = limit.max, limit.window_ms, limit.burst, limit.concurrent
end

-- The limit of the requests without `stored`, and when the last of them came.
local function declared_in(row, used_ms)
  if row.stored then return row.stored.declared, row.stored.declared_ms end
  return row.max > 0 and row, used_ms
end

-- True where a limit counts from now on; false where another one took its place; nil and the other one where the other
-- requests have another one.
local function agrees(row, own, former, used_ms)
  local declared, declared_ms = declared_in(row, used_ms)
  if not (declared and (is_same(own, declared) or former and is_same(former, declared))) then
    if row.former and is_same(own, row.former) then return false end
    if declared and row.last_ms - declared_ms <= TERMS_HOLD_MS then return nil, declared end
  end
  row.former = former
  if row.stored then row.stored.declared, row.stored.declared_ms = own, row.last_ms end
  return true
end

-- Puts the stricter of two limits in force, number by number.
local function assign_stricter(row, a, b)
  local slower = a.window_ms / a.max < b.window_ms / b.max and b or a
  row.max, row.window_ms, row.burst = slower.max, slower.window_ms, smallest(a.burst, b.burst)
  row.concurrent = a.concurrent > 0 and b.concurrent > 0 and smallest(a.concurrent, b.concurrent) or a.concurrent + b.concurrent
end

-- The copy of the record after a request with `stored` (L4). While nothing is set for the key, each request's own limit
-- counts.
local function copy_for(row, own, used_ms, record)
  local revision, json = limits().state(record)
  if revision > 0 and row.stored and row.stored.revision == revision then return row.stored end
  local set = json and limits().values('keyed', json) or {}
  local declared, declared_ms = declared_in(row, used_ms)
  return {
    revision = revision, max = set.max or own.max, window_ms = set.windowMs or own.window_ms, burst = set.burst or own.burst,
    concurrent = set.concurrent or own.concurrent, declared_ms = declared_ms,
    declared = declared and { max = declared.max, window_ms = declared.window_ms, burst = declared.burst, concurrent = declared.concurrent },
  }
end

-- Puts the limit of a request in force (K9); the limit of the other requests where that is another one. The units that
-- were taken stay taken. `record` is the key of the limit record, of a request with `stored`.
local function put_in_force(row, limit, former, used_ms, record)
  if record then
    row.stored = copy_for(row, limit, used_ms, record)
    assign(row, row.stored)
    return nil
  end
  local counts, other = agrees(row, limit, former, used_ms)
  if not counts then return other end
  if row.stored then assign_stricter(row, limit, row.stored) else assign(row, limit) end
end

-- Gives back slots, and keeps others (K6).
local function keep_slots(row, released, renewed, renew_ms)
  local gone, kept = {}, {}
  for _, id in ipairs(released or {}) do gone[id] = true end
  for _, id in ipairs(renewed or {}) do kept[id] = true end
  row.slots = only(row.slots, function(slot) return not gone[slot.id] end)
  for _, slot in ipairs(row.slots or {}) do
    if kept[slot.id] then slot.until_ms = largest(slot.until_ms, row.last_ms + renew_ms) end
  end
end

-- Counts hits in a window that begins with the first (K8).
local function count_hits(row, window_ms, by)
  if row.hits_until_ms <= row.last_ms then
    if by <= 0 then return end
    row.hits = 0
    row.hits_until_ms = row.last_ms + window_ms
  end
  row.hits = largest(0, row.hits + by)
end

-- Takes in what a process holds (K5): what it neither spent nor keeps goes back to the bucket.
local function report(row, hold, told)
  local left = largest(0, hold.units - largest(0, told.spent - hold.spent))
  local kept = smallest(left, told.keep)
  row.used = largest(0, row.used - (left - kept))
  hold.until_ms = largest(kept > 0 and hold.until_ms or 0, row.last_ms + told.for_ms)
  hold.seq, hold.spent, hold.units = told.seq, largest(told.spent, hold.spent), kept
  hold.granted, hold.first_ms, hold.wait_ms, hold.busy = 0, 0, 0, false
end

-- What a request that comes twice is answered again (K7); nothing for one that comes after a newer one.
local function repeated(hold, seq)
  if seq ~= hold.seq then return 0, 0, 0, NOTHING end
  return hold.granted, hold.granted > 0 and hold.first_ms or 0, hold.wait_ms, hold.wait_ms > 0 and (hold.busy and CONCURRENT or RATE) or NOTHING
end

-- Since when a process waits with nothing in hand; nil for one that does not.
local function waits_since(hold)
  return hold.units == 0 and hold.granted == 0 and hold.first_ms > 0 and hold.first_ms or nil
end

-- True where no other process waits longer.
local function is_turn_of(row, own, since_ms)
  for _, hold in ipairs(row.holds or {}) do
    local other_ms = hold ~= own and waits_since(hold)
    if other_ms and not (since_ms and since_ms <= other_ms) then return false end
  end
  return true
end

-- Remembers since when a process waits, so that others let it pass, until it should have asked again (K4).
local function keep_place(row, hold, told, wait_ms, since_ms)
  if hold and hold.units > 0 then return end
  if not hold then
    hold = { id = told.id, seq = told.seq, spent = told.spent, units = 0, granted = 0, wait_ms = wait_ms, busy = false }
    row.holds = row.holds or {}
    table.insert(row.holds, hold)
  end
  hold.first_ms = since_ms or largest(1, row.last_ms)
  hold.until_ms = row.last_ms + wait_ms + PLACE_MS
end

-- How long until a slot may be free, in milliseconds; 0 where one is.
local function until_slot(row, id)
  if row.concurrent == 0 or not row.slots or #row.slots < row.concurrent or part_of(row.slots, id) then return 0 end
  local until_ms = math.huge
  for _, slot in ipairs(row.slots) do until_ms = smallest(until_ms, slot.until_ms) end
  return until_ms - row.last_ms
end

local function occupy(row, id, until_ms)
  local slot = part_of(row.slots, id)
  if slot then
    slot.until_ms = largest(slot.until_ms, until_ms)
  else
    row.slots = row.slots or {}
    table.insert(row.slots, { id = id, until_ms = until_ms })
  end
end

-- Puts what was taken into the process's hand, until it is spent or its time is over (K5).
local function hold_units(row, hold, told, granted, first_ms, wait_ms)
  if not hold then
    hold = { id = told.id, seq = told.seq, spent = told.spent, units = 0, until_ms = 0, busy = false }
    row.holds = row.holds or {}
    table.insert(row.holds, hold)
  end
  hold.granted, hold.first_ms, hold.wait_ms = granted, first_ms, wait_ms
  hold.units = hold.units + granted
  -- The last unit may be spent for so long, too.
  local last_in_ms = largest(0, (row.used - row.burst) * every_ms(row))
  hold.until_ms = largest(hold.until_ms, row.last_ms + last_in_ms + told.for_ms)
end

-- Takes all of a cost and what comes with it, or nothing (K3, K4, K6): the units, the first one's time, how long the
-- cost waits, and for what.
local function take(row, cost, more, hold, since_ms)
  local told, slot = more.hold, more.slot
  local now_ms, used, burst, each_ms = row.last_ms, row.used, row.burst, row.window_ms / row.max
  local due_in_ms = (used + cost - burst) * each_ms
  local wait_ms = due_in_ms < NOW_MS and 0 or due_in_ms
  local slot_ms = slot and until_slot(row, slot.id) or 0
  -- All that is in hand may be spent together.
  local room = told and burst - held_of(row) or burst
  local has_turn = is_turn_of(row, hold, since_ms)
  if cost > room or wait_ms > more.max_wait_ms or slot_ms > 0 or not has_turn then
    local due_ms = (cost > room or not has_turn) and largest(wait_ms, each_ms) or wait_ms
    local busy = slot_ms > due_ms
    wait_ms = busy and slot_ms or due_ms
    if hold then hold.granted, hold.first_ms, hold.wait_ms, hold.busy = 0, 0, wait_ms, busy end
    if told and more.max_wait_ms > 0 then keep_place(row, hold, told, wait_ms, since_ms) end
    return 0, 0, wait_ms, busy and CONCURRENT or RATE
  end
  local granted = cost
  if more.ahead > 0 then
    local within = floor(burst - used + (more.ahead_within_ms + NOW_MS) / each_ms)
    granted = largest(cost, smallest(cost + more.ahead, within, floor(room)))
  end
  local first_ms = now_ms + (used + 1 - burst) * each_ms
  row.used = used + granted
  if slot and row.concurrent > 0 then occupy(row, slot.id, now_ms + wait_ms + slot.for_ms) end
  if told then hold_units(row, hold, told, granted, first_ms, wait_ms) end
  return granted, first_ms, wait_ms, wait_ms > 0 and RATE or NOTHING
end
