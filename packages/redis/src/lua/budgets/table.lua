-- One budget in Redis. Stands for BudgetTable of @dt/core.
--
-- KEYS, the same for every script, on one hash tag:
--   1 budget hash: 'row' -> the budget's row, 'l:'<id> -> lease. Values are MessagePack, which keeps every double as it
--       is.
--   2 expiry sorted set: ids of leases by the budget's time at which they are forgotten; also the member '' at +inf, so
--       that both keys exist exactly as long as the first does: a Redis Cluster serves a script in a slot that is being
--       moved only where it finds all of its keys.
--
-- A server that evicts keys may drop one of the two. Without the first the budget starts anew. The second is made again
-- from the first by the next reservation.
--
-- Row and leases are written by commit() in the end. Cost: see the functions; n is the number of leases.
local ROWS, EXPIRY = KEYS[1], KEYS[2]
-- The server forgets a budget that nobody uses so long after nothing of it means anything, and twice as long at most.
local KEEP_MS = 60000
-- Terms bind for so long after the last use of a budget (B9).
local TERMS_HOLD_MS = 10000
-- Leases forgotten with each request, so that none has to clear away many.
local FORGET_LIMIT = 100

-- What packed values begin with. A released order of their fields never changes: a new one has another format.
local TAG = 'f1'
-- Times beyond the year 30,000, or before as many years ago, are nobody's.
local MOST_MS = 1e15

-- True for times, and not for a NaN or a text.
local function are_times(...)
  for _, ms in ipairs({ ... }) do
    if type(ms) ~= 'number' or not (math.abs(ms) <= MOST_MS) then return false end
  end
  return true
end

-- The values that were packed: O(their size); or nil and what is there instead.
local function unpacked(packed, count)
  local parts = { pcall(cmsgpack.unpack, packed) }
  if not parts[1] then return nil, 'what is no row' end
  if parts[2] ~= TAG then return nil, 'the format ' .. string.sub(tostring(parts[2]), 1, 20) end
  if #parts ~= count + 2 then return nil, 'a row that has not ' .. count .. ' fields' end
  return parts
end

-- The slots of a limit as they are packed: as a text of bytes, where they are small enough, which is cheapest to read.
local function bytes_of(slots)
  local are_small = #slots == 0 or (slots[1] >= 0 and slots[#slots] <= 255)
  return are_small and string.char(unpack(slots)) or slots
end

-- A limit from the list that it is packed as, or nil: O(its slots). Also fails where that is something else.
local function limit_from(list)
  local limit = {
    name = list[1], max = list[2], window_ms = list[3], latest_ms = list[4], surplus = list[5], variance = list[6], learned_ms = list[7],
    base = list[8], paces = list[9], slots = type(list[10]) == 'string' and { string.byte(list[10], 1, -1) } or list[10], units = list[11],
  }
  local slots, units = limit.slots, limit.units
  local sum = limit.surplus + limit.variance + limit.base
  for i = 1, #limit.paces do sum = sum + limit.paces[i] end
  for i = 1, #slots do sum = sum + slots[i] + units[i] end
  -- The sum with a NaN or an infinity differs from itself, or the difference does.
  local right = sum - sum == 0 and are_times(limit.window_ms, limit.latest_ms, limit.learned_ms)
  return right and #list == 11 and #slots == #units and type(limit.name) == 'string' and limit.max > 0 and limit.window_ms > 0 and limit
end

-- The copy of the limit record from the list that it is packed as: its state, then each name and max.
local function copy_from(list)
  local copy = { revision = list[1], maxes = {} }
  for i = 2, #list, 2 do
    if type(list[i]) ~= 'string' or not (list[i + 1] > 0 and list[i + 1] <= 1e12) then return nil end
    copy.maxes[list[i]] = list[i + 1]
  end
  return copy.revision > -2^53 and copy.revision < 2^53 and copy
end

-- The budget's row from its packed value: O(slots); or nil and what is there instead.
local function decode_row(packed)
  local parts, damage = unpacked(packed, 8)
  if not parts then return nil, damage end
  local row = {
    last_ms = parts[3], offset_ms = parts[4], paused_until_ms = parts[5], keep_until_ms = parts[6], terms = parts[7], former_terms = parts[8],
    limits = {},
  }
  if not are_times(row.last_ms, row.offset_ms, row.paused_until_ms, row.keep_until_ms) then return nil, 'a row with a time that is none' end
  if type(row.terms) ~= 'string' or type(row.former_terms) ~= 'string' then return nil, 'a row with terms that are none' end
  if parts[10] then
    local done, copy = pcall(copy_from, parts[10])
    if not done or not copy then return nil, 'a copy that is none' end
    row.stored = copy
  end
  if type(parts[9]) ~= 'table' then return nil, 'a row with limits that are none' end
  for place, list in ipairs(parts[9]) do
    local done, limit = pcall(limit_from, list)
    if not done or not limit then return nil, 'a limit that is none' end
    row.limits[place] = limit
  end
  return row
end

-- Packs a row: O(slots).
local function encode_row(row)
  local lists = {}
  for place, limit in ipairs(row.limits) do
    lists[place] = {
      limit.name, limit.max, limit.window_ms, limit.latest_ms, limit.surplus, limit.variance, limit.learned_ms, limit.base, limit.paces,
      bytes_of(limit.slots), limit.units,
    }
  end
  local stored = false
  if row.stored then
    stored = { row.stored.revision }
    for name, max in pairs(row.stored.maxes) do
      table.insert(stored, name)
      table.insert(stored, max)
    end
  end
  return cmsgpack.pack(TAG, row.last_ms, row.offset_ms, row.paused_until_ms, row.keep_until_ms, row.terms, row.former_terms, lists, stored)
end

-- A lease from its packed value: O(1); or nil and what is there instead.
local function decode_lease(packed)
  local parts, damage = unpacked(packed, 6)
  if not parts then return nil, damage end
  local lease = { at_ms = parts[3], tier = parts[4], wait_ms = parts[5], limited_by = parts[6], forget_at_ms = parts[7], costs = parts[8] }
  local right = are_times(lease.at_ms, lease.tier, lease.wait_ms, lease.limited_by, lease.forget_at_ms) and type(lease.costs) == 'table'
  -- No cost is larger than the longest time is long.
  if not right or not are_times(unpack(lease.costs)) then return nil, 'a lease that is none' end
  return lease
end

local function encode_lease(lease)
  return cmsgpack.pack(TAG, lease.at_ms, lease.tier, lease.wait_ms, lease.limited_by, lease.forget_at_ms, lease.costs)
end

-- The budget's row, and those of the leases of these ids that there are, by id: O(the ids, and the slots). Nil when
-- there is no such budget; nil and what is there instead when it is damaged.
local function load_row(ids)
  local names = { 'row' }
  for i, id in ipairs(ids) do names[i + 1] = 'l:' .. id end
  local found = redis.pcall('HMGET', ROWS, unpack(names))
  if found.err then
    if string.find(found.err, 'WRONGTYPE', 1, true) then return nil, 'what is no hash' end
    -- Whatever else it is, the caller is to hear of it as it is.
    redis.call('HMGET', ROWS, unpack(names))
  end
  if not found[1] then return nil end
  local row, damage = decode_row(found[1])
  if not row then return nil, damage end
  local leases = {}
  for i, id in ipairs(ids) do
    if found[i + 1] then
      leases[id], damage = decode_lease(found[i + 1])
      if damage then return nil, damage end
    end
  end
  return row, leases
end

-- A new budget; clears what may be left of an evicted one: O(leases left). Not without need: a server that is out of
-- memory refuses a script at its first write, and only when that one needs memory.
local function create_row()
  if redis.call('EXISTS', ROWS, EXPIRY) > 0 then redis.call('UNLINK', ROWS, EXPIRY) end
  redis.call('ZADD', EXPIRY, '+inf', '')
  return { last_ms = clock_ms, offset_ms = 0, paused_until_ms = 0, keep_until_ms = 0, terms = '', former_terms = '', limits = {} }
end

-- Clears some of the leases away whose time is over: O(log n). Those that are left are known by their time.
local function forget_leases(now_ms)
  local ids = redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', now_ms, 'LIMIT', 0, FORGET_LIMIT)
  if #ids == 0 then return end
  redis.call('ZREM', EXPIRY, unpack(ids))
  for i = 1, #ids do ids[i] = 'l:' .. ids[i] end
  redis.call('HDEL', ROWS, unpack(ids))
end

-- Makes the sorted set of leases again, from the hash: O(n log n). Damaged ones are forgotten next.
local function restore_expiry()
  local all = redis.call('HGETALL', ROWS)
  for i = 1, #all, 2 do
    local lease = all[i] ~= 'row' and (decode_lease(all[i + 1]) or { forget_at_ms = 0 })
    if lease then redis.call('ZADD', EXPIRY, lease.forget_at_ms, string.sub(all[i], 3)) end
  end
end

-- Until when a budget means something, in its own time (budgetMeansForMs of @dt/core): O(1).
local function means_until(row)
  local until_ms = math.max(row.last_ms + TERMS_HOLD_MS, row.paused_until_ms)
  for _, limit in ipairs(row.limits) do until_ms = math.max(until_ms, math.max(row.last_ms, limit.latest_ms) + 2 * limit.window_ms) end
  return until_ms
end

-- Writes the row, removes the leases of these ids, and puts a lease, if there is one, under its id; keeps the keys from
-- expiring, once a minute at most: O(log n) for each lease, and O(slots).
local function commit(row, removed, id, lease)
  if #removed > 0 then
    redis.call('ZREM', EXPIRY, unpack(removed))
    for i = 1, #removed do removed[i] = 'l:' .. removed[i] end
    redis.call('HDEL', ROWS, unpack(removed))
  end
  local needed_ms = means_until(row)
  if lease then
    needed_ms = math.max(needed_ms, lease.forget_at_ms)
    -- It was evicted where '' is new, too.
    if redis.call('ZADD', EXPIRY, '+inf', '', lease.forget_at_ms, id) == 2 then
      restore_expiry()
      row.keep_until_ms = 0
    end
  end
  -- By the server's clock.
  local keep_ms = needed_ms - row.offset_ms + KEEP_MS
  local expire = keep_ms > row.keep_until_ms
  if expire then row.keep_until_ms = keep_ms + KEEP_MS end
  if lease then
    redis.call('HSET', ROWS, 'row', encode_row(row), 'l:' .. id, encode_lease(lease))
  else
    redis.call('HSET', ROWS, 'row', encode_row(row))
  end
  if expire then
    for i = 1, 2 do redis.call('PEXPIREAT', KEYS[i], string.format('%.0f', math.floor(row.keep_until_ms))) end
  end
end
