-- One key's permits in Redis. Stands for PermitTable of @dt/core.
--
-- KEYS, the same for every script, all on one hash tag:
--   1 permits hash: 'row' -> the key's row, 'p:'<id> -> reservation. Rows are MessagePack, which keeps every double as
--       it is.
--   2 expiry   sorted set: ids of reservations by the key's time at which they are forgotten
--   3 freed sorted set: instants given back, '<turn> <width>' by time, the width being the distance that it keeps to
--       the next; turns have 20 digits, so that those of one time keep their order
--   4 queue    sorted set: ids in the queue by turn
--   5 waits    sorted set: ids in the queue by the key's time until which they keep their place
-- Each sorted set also holds the member '' at +inf, so that the five keys exist exactly as long as the first does: a
-- Redis Cluster serves a script in a slot that is being moved only where it finds all of its keys.
--
-- A server that evicts keys may drop one of the five. Without the first the key starts anew. Without another nothing
-- comes too early: what was given back is wasted, a repeat is served anew, or those in the queue lose their places.
--
-- The row and the request's reservation are written by commit() in the end. Cost: see the functions; n is what a key
-- has of reservations, of instants given back, or in the queue.
local ROWS, EXPIRY, FREED, LINE, WAITS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
-- The server forgets a key that nobody uses this long after nothing of it is to come.
local KEEP_MS = 60000
-- Terms bind for so long after the last use of a key (P10).
local TERMS_HOLD_MS = 10000
-- Reservations forgotten with each new one, so that none has to clear away many.
local FORGET_LIMIT = 100
-- Instants looked at in one go.
local CHUNK = 20

-- The fields of a row and of a reservation in their order. A released order never changes: a new one has another
-- format.
local TAG = 'f1'
local ROW_FIELDS = { 'tat_ms', 'last_ms', 'offset_ms', 'turn', 'swept_ms', 'swept_turn', 'keep_until_ms', 'freed_until_ms', 'terms', 'former_terms', 'paused_until_ms',
  'stored_revision', 'stored_every_ms', 'stored_burst', 'ahead_until_ms' }
local ENTRY_FIELDS = { 'granted', 'first_ms', 'step_ms', 'earliest_ms', 'tat_before_ms', 'forget_at_ms', 'turn' }
local IS_TEXT = { terms = true, former_terms = true }
-- The last four of a row are there where the key has a copy of a limit record.
local MAY_MISS = { tat_before_ms = true, stored_revision = true, stored_every_ms = true, stored_burst = true, ahead_until_ms = true }
-- Times beyond the year 30,000, or before as many years ago, are nobody's.
local MOST = 1e15

local function encode(values, fields)
  local list = {}
  -- False stands for nothing: a nil would end the list.
  for i, field in ipairs(fields) do list[i] = values[field] or false end
  return cmsgpack.pack(TAG, unpack(list, 1, #fields))
end

-- The fields of what encode() made: O(1); or nil and what is there instead.
local function decode(packed, fields)
  local parts = { pcall(cmsgpack.unpack, packed) }
  if not parts[1] then return nil, 'what is no row' end
  if parts[2] ~= TAG then return nil, 'the format ' .. string.sub(tostring(parts[2]), 1, 20) end
  if #parts ~= #fields + 2 then return nil, 'a row that has not ' .. #fields .. ' fields' end
  local values = {}
  for i, field in ipairs(fields) do
    local value = parts[i + 2]
    local right = type(value) == 'number' and math.abs(value) <= MOST
    if IS_TEXT[field] then right = type(value) == 'string' end
    if MAY_MISS[field] and value == false then value, right = nil, true end
    if not right then return nil, field .. ' ' .. string.sub(tostring(value), 1, 40) end
    values[field] = value
  end
  return values
end

-- The key's row and the reservation of a request, or false: O(1). Nil when there is no such key; nil and what is there
-- instead when it is damaged.
local function load_row(id)
  local rows = redis.pcall('HMGET', ROWS, 'row', 'p:' .. id)
  if rows.err then
    if string.find(rows.err, 'WRONGTYPE', 1, true) then return nil, 'what is no hash' end
    -- Whatever else it is, the caller is to hear of it as it is.
    redis.call('HMGET', ROWS, 'row', 'p:' .. id)
  end
  if not rows[1] then return nil end
  local row, damage = decode(rows[1], ROW_FIELDS)
  if not row then return nil, damage end
  row.needed_ms = row.tat_ms
  if not rows[2] then return row, false end
  local entry
  entry, damage = decode(rows[2], ENTRY_FIELDS)
  if not entry then return nil, damage end
  entry.id = id
  -- It may be forgotten already, though not yet cleared away.
  return row, (entry.forget_at_ms > row.swept_ms or entry.turn > row.swept_turn) and entry
end

-- A new key; clears what may be left of an evicted one: O(rows left). Not without need: a server that is out of memory
-- refuses a script at its first write, and only when that one needs memory.
local function create_row()
  if redis.call('EXISTS', EXPIRY, FREED, LINE, WAITS) > 0 then redis.call('UNLINK', EXPIRY, FREED, LINE, WAITS) end
  for i = 2, 5 do redis.call('ZADD', KEYS[i], '+inf', '') end
  return {
    tat_ms = 0, last_ms = clock_ms, offset_ms = 0, turn = 0, swept_ms = 0, swept_turn = 0, keep_until_ms = 0, freed_until_ms = 0, needed_ms = 0,
    terms = '', former_terms = '', paused_until_ms = 0,
  }
end

local function needed_until(row, until_ms)
  row.needed_ms = math.max(row.needed_ms, until_ms)
end

local function next_turn(row)
  row.turn = row.turn + 1
  return row.turn
end

-- Forgets reservations whose time is over, and clears some of them away: O(log n).
local function forget_entries(row, now_ms)
  row.swept_ms, row.swept_turn = now_ms, row.turn
  local ids = redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', now_ms, 'LIMIT', 0, FORGET_LIMIT)
  if #ids == 0 then return end
  redis.call('ZREM', EXPIRY, unpack(ids))
  for i = 1, #ids do ids[i] = 'p:' .. ids[i] end
  redis.call('HDEL', ROWS, unpack(ids))
end

-- The earliest instant given back from from_ms on that is large enough, taken out, or nil: O(1) when there is none to
-- come, otherwise O(log n), and those before it that are too small.
local function take_freed(row, from_ms, width_ms)
  if row.freed_until_ms < from_ms then return nil end
  redis.call('ZREMRANGEBYSCORE', FREED, '-inf', '(' .. text(from_ms))
  for offset = 0, math.huge, CHUNK do
    local found = redis.call('ZRANGEBYSCORE', FREED, from_ms, '+inf', 'WITHSCORES', 'LIMIT', offset, CHUNK)
    for i = 1, #found, 2 do
      local found_ms = tonumber(string.match(found[i], ' (.+)$'))
      if found_ms and found_ms >= width_ms then
        redis.call('ZREM', FREED, found[i])
        return { at_ms = tonumber(found[i + 1]), width_ms = found_ms }
      end
    end
    if #found < 2 * CHUNK then return nil end
  end
end

-- O(log n).
local function add_freed(row, at_ms, width_ms)
  needed_until(row, at_ms)
  row.freed_until_ms = math.max(row.freed_until_ms, at_ms)
  redis.call('ZADD', FREED, at_ms, string.format('%020.0f %.17g', next_turn(row), width_ms))
end

-- O(log n).
local function leave_queue(id)
  redis.call('ZREM', LINE, id)
  redis.call('ZREM', WAITS, id)
end

-- How many are in the queue before this id (all, if it is not in the queue itself), and whether it is in the queue;
-- forgets those before it whose time is over: O(1) for an empty queue, otherwise O(log n), and again for each whose
-- time is over.
local function ahead_in_queue(id, now_ms)
  if redis.call('ZCARD', LINE) <= 1 then return 0, false end
  local place = redis.call('ZSCORE', LINE, id)
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', WAITS, '-inf', now_ms)) do
    if not place or tonumber(redis.call('ZSCORE', LINE, other) or 0) < tonumber(place) then leave_queue(other) end
  end
  if place then return redis.call('ZRANK', LINE, id), true end
  return math.max(0, redis.call('ZCARD', LINE) - 1), false
end

-- Puts an id in the queue, at its end, if it is not in the queue already: O(log n).
local function enqueue(row, id, until_ms)
  needed_until(row, until_ms)
  redis.call('ZADD', LINE, 'NX', next_turn(row), id)
  redis.call('ZADD', WAITS, until_ms, id)
end

-- Forgets the queue, the instants given back and the reservations whose last instant is after until_ms; gives the
-- latest instant of those left and their smallest distance, or nil: O(what the key has). What is damaged among it goes
-- too.
local function forget_after(row, until_ms)
  local all = redis.call('HGETALL', ROWS)
  redis.call('UNLINK', EXPIRY, FREED, LINE, WAITS)
  for i = 2, 5 do redis.call('ZADD', KEYS[i], '+inf', '') end
  row.freed_until_ms = 0
  -- The keys made anew have no expiry yet.
  row.keep_until_ms = 0
  local at_ms, width_ms
  for i = 1, #all, 2 do
    if all[i] ~= 'row' then
      local entry = decode(all[i + 1], ENTRY_FIELDS)
      local last_ms = entry and math.max(entry.earliest_ms, entry.first_ms + (entry.granted - 1) * entry.step_ms)
      local known = entry and (entry.forget_at_ms > row.swept_ms or entry.turn > row.swept_turn)
      if not known or (entry.granted > 0 and last_ms > until_ms) then
        redis.call('HDEL', ROWS, all[i])
      else
        needed_until(row, entry.forget_at_ms)
        redis.call('ZADD', EXPIRY, entry.forget_at_ms, string.sub(all[i], 3))
        if entry.granted > 0 then at_ms, width_ms = math.max(at_ms or last_ms, last_ms), math.min(width_ms or entry.step_ms, entry.step_ms) end
      end
    end
  end
  return at_ms, width_ms
end

-- Writes the row and, if there is one, a reservation; keeps the keys from expiring, once a minute at most: O(log n).
local function commit(row, entry)
  needed_until(row, math.max(row.tat_ms, row.paused_until_ms))
  if row.terms ~= '' or row.stored_revision then needed_until(row, math.max(row.tat_ms, row.last_ms) + TERMS_HOLD_MS) end
  local expire = row.needed_ms - row.offset_ms > row.keep_until_ms
  if expire then row.keep_until_ms = row.needed_ms - row.offset_ms + KEEP_MS end
  local fields = { 'row', encode(row, ROW_FIELDS) }
  if entry then
    fields[3] = 'p:' .. entry.id
    fields[4] = encode(entry, ENTRY_FIELDS)
  end
  redis.call('HSET', ROWS, unpack(fields))
  if expire then
    for i = 1, 5 do redis.call('PEXPIREAT', KEYS[i], string.format('%.0f', math.floor(row.keep_until_ms))) end
  end
end
