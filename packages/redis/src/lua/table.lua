-- One group's rows in Redis. Stands for LedgerTable of @dt/core, as far as every sync needs it: see lookup.lua for the
-- rest.
--
-- KEYS, the same for every script, all on one hash tag:
--   1 rows hash: 'group' -> group row, 'm:'<incarnation> -> member row, 'i:'<id> -> incarnation of the holder of the
--             id, 'r:'<rank> -> incarnation, 'l:'<id> -> last level and until when it is remembered. See rows.lua.
--             Of a semaphore also 's:'<incarnation> -> what its queue has of the member. See slots/table.lua.
--   2 expiry  sorted set: incarnation by its place, which place_of() gives: the liveness time at which it counts as
--             stale, or later. Who was looked at stands at that time, rounded up to a millisecond: the 17 digits that
--             the row has take longer to write and to read.
--   3 limits  sorted set: incarnation by its max
--   4 levels  sorted set: id by the group time at which its last level is forgotten
--   5 stales  sorted set: incarnation by its stale age
--   6 errors  sorted set: incarnation by its clock error
--   7, 8      only of a group with the interval of semaphores: see slots/table.lua
--   and one more, of a request with `stored`: the group's limit record, see limits/head.lua. It outlives the group, and
--             is none of the keys from here on.
-- Each sorted set also holds the member '' at +inf, so that the keys exist exactly as long as the group does: a Redis
-- Cluster serves a script in a slot that is being moved only where it finds all of its keys.
--
-- Changed rows are written by commit() in the end; reads within a script go through the cache. Cost: see the functions.
local LIMIT = #KEYS % 2 == 1 and table.remove(KEYS)
local ROWS, EXPIRY = KEYS[1], KEYS[2]
local PRUNE_LIMIT = 1000
-- A day after the last sign of life, or after the last level is forgotten, the server forgets the group.
local KEEP_MS = 86400000
-- Far below the 8,000 or so arguments that unpack can take.
local CHUNK = 200
-- A pause that grows by no more is no news (R35).
local LITTLE_MS = 100
-- Members of a semaphore have this interval, and no others: two members of one group have the same (R14).
local SLOT_INTERVAL_MS = 1
local cache = {}
local changed = {}
-- Of a semaphore, in a script that has all its keys: rows of its queue as far as they were read, as a text or a table;
-- those to be written; hints to be sent; and `rules`, see slots/table.lua.
local slots = KEYS[8] and { rows = {}, changed = {}, hints = {} }

local function unpack_member(incarnation, packed)
  local m = decode(read_member, packed, 'm:' .. incarnation)
  m.incarnation, m.stored_expiry_ms = incarnation, m.expires_at_ms
  return m
end

-- The group's row, and the caller's into the cache: O(1). nil when there is no group. One that is not whole is damaged:
-- somebody deleted some of its keys, or the server evicted them. A script that was not given all keys of a semaphore
-- may only look at it: see healing.
local function load_group(incarnation, only_looks)
  local rows
  if slots then
    rows = redis.call('HMGET', ROWS, 'group', 'm:' .. incarnation, 's:' .. incarnation)
    slots.rows[incarnation] = rows[3]
  else
    rows = redis.call('HMGET', ROWS, 'group', 'm:' .. incarnation)
  end
  if not rows[1] then return nil end
  local g = decode(read_group, rows[1], 'group')
  if g.interval_ms == SLOT_INTERVAL_MS and not slots and not only_looks then error({ needs_slots = true }, 0) end
  if redis.call('ZCARD', EXPIRY) ~= g.member_count + 1 then
    damaged(field_of('group'), 'member_count ' .. text(g.member_count) .. ', which is not what ' .. EXPIRY .. ' has')
  end
  g.stored_generation, g.stored_agreed = g.generation, g.adopted == g.member_count
  cache[incarnation] = rows[2] and unpack_member(incarnation, rows[2])
  return g
end

-- A member's row or false: O(1).
local function get_member(incarnation)
  if cache[incarnation] == nil then
    local packed = redis.call('HGET', ROWS, 'm:' .. incarnation)
    cache[incarnation] = packed and unpack_member(incarnation, packed)
  end
  return cache[incarnation]
end

local function put_member(m)
  cache[m.incarnation], changed[m.incarnation] = m, m
end

-- The first step of the grid after a liveness time: who is stale by then, and stands on the grid, stands there at last.
local function grid_after(liveness_ms)
  return (math.floor(liveness_ms / GRID_MS) + 1) * GRID_MS
end

-- Incarnations of members that are stale at this liveness time, the longest silent first, PRUNE_LIMIT at most, and
-- whether there may be more: O(found * log n). Their rows say it exactly. Who has no row is among them. Who was found
-- stands at its exact place from then on, so that one that is silent is found once before its time is over.
local function expired(liveness_ms)
  local grid_ms = grid_after(liveness_ms)
  local found = redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', math.min(math.ceil(liveness_ms), grid_ms - 1), 'LIMIT', 0, PRUNE_LIMIT)
  for _, incarnation in ipairs(redis.call('ZRANGEBYSCORE', EXPIRY, grid_ms, grid_ms, 'LIMIT', 0, PRUNE_LIMIT - #found)) do
    found[#found + 1] = incarnation
  end
  local stale, expiry_ms = {}, {}
  for _, incarnation in ipairs(found) do
    local m = get_member(incarnation)
    expiry_ms[incarnation] = m and m.expires_at_ms or 0
    if m then redis.call('ZADD', EXPIRY, math.ceil(m.expires_at_ms), incarnation) end
    if expiry_ms[incarnation] <= liveness_ms then stale[#stale + 1] = incarnation end
  end
  table.sort(stale, function(a, b)
    return expiry_ms[a] < expiry_ms[b] or (expiry_ms[a] == expiry_ms[b] and a < b)
  end)
  return stale, #found == PRUNE_LIMIT
end

-- A liveness time up to which nobody's time is over but for a millisecond, once expired() has found all at this one, or
-- false without members: O(log n).
local function earliest(liveness_ms)
  local first = redis.call('ZRANGE', EXPIRY, 0, 0, 'WITHSCORES')
  if first[1] == '' then return false end
  local first_ms = tonumber(first[2])
  if first_ms <= grid_after(liveness_ms) then return first_ms end
  return (math.ceil(first_ms / GRID_MS) - 1) * GRID_MS
end

-- Writes what changed, keeps the keys from expiring, announces a new generation, an agreement or a pause on the
-- channel, and sends hints of slots: O(log n) for each changed member. Expiry is set when keys may be new, and
-- otherwise after half a day and the longest stale age.
local function commit(g, channel)
  local paused = g.paused_until_ms > g.stored_paused_ms + LITTLE_MS
  local announce = paused or g.generation ~= g.stored_generation or (not g.stored_agreed and g.adopted == g.member_count)
  local keep_until_ms
  if g.generation ~= g.stored_generation or clock_ms < g.kept_at_ms or clock_ms > g.kept_at_ms + KEEP_MS / 2 + g.longest_stale_ms then
    g.kept_at_ms = clock_ms
    keep_until_ms = string.format('%.0f', clock_ms + g.keep_ms)
  end
  local fields = {}
  for incarnation, m in pairs(changed) do
    fields[#fields + 1] = 'm:' .. incarnation
    fields[#fields + 1] = write_member(m)
    if m.expires_at_ms ~= m.stored_expiry_ms then
      redis.call('ZADD', EXPIRY, place_of(m.expires_at_ms, m.stale_after_ms), incarnation)
      if g.earliest_ms then g.earliest_ms = math.min(g.earliest_ms, math.ceil(m.expires_at_ms)) end
    end
  end
  if slots then
    for incarnation, packed in pairs(slots.changed) do
      fields[#fields + 1] = 's:' .. incarnation
      fields[#fields + 1] = packed
    end
  end
  fields[#fields + 1] = 'group'
  fields[#fields + 1] = write_group(g)
  for i = 1, #fields, CHUNK do
    redis.call('HSET', ROWS, unpack(fields, i, math.min(i + CHUNK - 1, #fields)))
  end
  if keep_until_ms then
    for i = 1, #KEYS do redis.call('PEXPIREAT', KEYS[i], keep_until_ms) end
    data().note(keep_until_ms)
  end
  if announce then hint(string.sub(ROWS, 1, -#'rows' - 1) .. 'hints', channel, paused and 'pause') end
  if slots and slots.hints[1] then slots.rules().hint(channel) end
end
