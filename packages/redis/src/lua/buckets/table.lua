-- Buckets in Redis. Stands for BucketTable of @dt/core.
--
-- KEYS, of every script: a key for each bucket, all in one hash slot. Each is a string, the bucket's row, which the
-- server forgets by itself when it means nothing any more. It is MessagePack, which keeps every double as it is: a tag,
-- last_ms, used, max, window_ms, burst, concurrent and, where one of them is more than 0 or there are any, a list:
-- offset_ms, hits, hits_until_ms, former limit, what processes hold, slots in use, copy of the limit record. Mostly
-- that is 20 to 30 bytes: up to 44 the server keeps in one piece with what it keeps of every value.
--
-- Cost: see the functions; n is the number of processes that hold units, and of slots in use.

local largest, smallest = math.max, math.min

local function is_time(value)
  return value >= -1e300 and value <= 1e300
end

-- The parts of a row from the lists that they are packed as. Each fails where something is no number, and is false for
-- what no row has. The numbers of a limit:
local function limit_from(list)
  local max, window_ms, burst, concurrent = list[1], list[2], list[3], list[4]
  local right = max > 0 and max <= 1e300 and window_ms > 0 and window_ms <= 1e300 and burst > 0 and burst <= 1e300 and concurrent >= 0
    and concurrent < 2^53
  return right and { max = max, window_ms = window_ms, burst = burst, concurrent = concurrent }
end

-- What a process has in hand.
local function hold_from(list)
  local id, seq, spent, units, until_ms, granted, first_ms, wait_ms, busy = unpack(list, 1, 9)
  local right = type(id) == 'string' and seq >= 0 and spent >= 0 and units >= 0 and is_time(until_ms) and granted >= 0 and is_time(first_ms)
    and is_time(wait_ms) and type(busy) == 'boolean' and #list == 9
  return right and {
    id = id, seq = seq, spent = spent, units = units, until_ms = until_ms, granted = granted, first_ms = first_ms, wait_ms = wait_ms, busy = busy,
  }
end

-- A slot in use.
local function slot_from(list)
  return type(list[1]) == 'string' and is_time(list[2]) and #list == 2 and { id = list[1], until_ms = list[2] }
end

-- The copy of the limit record.
local function copy_from(list)
  local copy = limit_from(list[1])
  copy.revision, copy.declared, copy.declared_ms = list[2], list[3] and (limit_from(list[3]) or error()), list[4]
  return copy.revision > -2^53 and copy.revision < 2^53 and is_time(copy.declared_ms) and #list == 4 and copy
end

local function all_from(lists, read)
  local all = {}
  for place, list in ipairs(lists) do all[place] = read(list) or error() end
  return all
end

-- The row from its packed value; nil and what is there instead. Fails where something is no number.
local function checked_row(tag, last_ms, used, max, window_ms, burst, concurrent, rest, more)
  if tag ~= TAG then return nil, 'the format ' .. string.sub(tostring(tag), 1, 20) end
  local right = last_ms >= 0 and last_ms <= 1e16 and used >= 0 and used <= 1e300 and max >= 0 and max <= 1e300 and window_ms >= 0
    and window_ms <= 1e300 and burst >= 0 and burst <= 1e300 and (max == 0 or window_ms > 0 and burst > 0) and concurrent >= 0
    and concurrent < 2^53 and more == nil
  if not right then return nil, 'a row with a number that is none' end
  local row = {
    last_ms = last_ms, used = used, max = max, window_ms = window_ms, burst = burst, concurrent = concurrent, offset_ms = 0, hits = 0,
    hits_until_ms = 0, former = false, holds = false, slots = false, stored = false,
  }
  if rest then
    row.offset_ms, row.hits, row.hits_until_ms = rest[1], rest[2], rest[3]
    if not (row.offset_ms >= -1e16 and row.offset_ms <= 1e16 and row.hits >= 0 and row.hits <= 1e300 and is_time(row.hits_until_ms)) then error() end
    row.former = rest[4] and (limit_from(rest[4]) or error())
    row.holds = rest[5] and all_from(rest[5], hold_from)
    row.slots = rest[6] and all_from(rest[6], slot_from)
    row.stored = rest[7] and (copy_from(rest[7]) or error())
  end
  return row
end

local function unpacked_row(packed)
  return checked_row(unpack_values(packed))
end

-- The row from its packed value: O(n); or nil and what is there instead.
local function row_of(packed)
  local done, row, damage = pcall(unpacked_row, packed)
  if not done then return nil, 'what is no row' end
  return row, damage
end

-- A new bucket. False stands for nothing, and for an empty list.
local function new_row()
  return {
    last_ms = clock_ms, used = 0, max = 0, window_ms = 0, burst = 0, concurrent = 0, offset_ms = 0, hits = 0, hits_until_ms = 0, former = false,
    holds = false, slots = false, stored = false,
  }
end

local function numbers_of(limit)
  return limit and { limit.max, limit.window_ms, limit.burst, limit.concurrent }
end

local function rest_of(row)
  local holds, slots, stored = false, false, row.stored
  if row.holds then
    holds = {}
    for i, hold in ipairs(row.holds) do
      holds[i] = { hold.id, hold.seq, hold.spent, hold.units, hold.until_ms, hold.granted, hold.first_ms, hold.wait_ms, hold.busy }
    end
  end
  if row.slots then
    slots = {}
    for i, slot in ipairs(row.slots) do slots[i] = { slot.id, slot.until_ms } end
  end
  if stored then stored = { numbers_of(stored), stored.revision, numbers_of(stored.declared), stored.declared_ms } end
  return { row.offset_ms, row.hits, row.hits_until_ms, numbers_of(row.former), holds, slots, stored }
end

-- Packs a row: O(n). To pack a value takes long: the numbers of a limit that is in force are packed once for all rows.
local function packed_row(row, limit)
  local numbers
  if limit and limit.max == row.max and limit.burst == row.burst and limit.window_ms == row.window_ms and limit.concurrent == row.concurrent then
    numbers = limit.packed or pack_values(limit.max, limit.window_ms, limit.burst, limit.concurrent)
    limit.packed = numbers
  else
    numbers = pack_values(row.max, row.window_ms, row.burst, row.concurrent)
  end
  local packed = HEAD .. pack_values(row.last_ms, row.used) .. numbers
  if row.holds or row.slots or row.stored or row.former or row.hits_until_ms > 0 or row.offset_ms ~= 0 then
    return packed .. pack_values(rest_of(row))
  end
  return packed
end

-- How long a bucket is kept from now on, in whole milliseconds: O(n).
local function kept_for_ms(row)
  local last_ms, each_ms = row.last_ms, row.max > 0 and row.window_ms / row.max or 0
  local until_ms = last_ms + row.used * each_ms
  if row.hits_until_ms > until_ms then until_ms = row.hits_until_ms end
  if row.holds then
    local spent_ms, held = last_ms, 0
    for _, hold in ipairs(row.holds) do
      if hold.until_ms > spent_ms then spent_ms = hold.until_ms end
      held = held + hold.units
    end
    until_ms = largest(until_ms, spent_ms + held * each_ms)
  end
  for _, slot in ipairs(row.slots or {}) do
    if slot.until_ms > until_ms then until_ms = slot.until_ms end
  end
  return ceil(smallest(until_ms - last_ms + KEEP_MS, LONGEST_MS))
end
