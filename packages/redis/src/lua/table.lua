-- One group's rows in Redis. Part 6 of every script of a group; stands for LedgerTable of @dt/core.
--
-- KEYS, the same for every script, all on one hash tag:
--   1 rows hash: 'group' -> group row, 'freed' -> what it says of freed tokens, 'm:'<incarnation> -> member row,
--             'i:'<id> -> incarnation of the holder of the id, 'r:'<rank> -> incarnation, 'l:'<id> -> last level and
--             until when it is remembered. See rows.lua.
--   2 expiry  sorted set: incarnation by the liveness time at which it counts as stale
--   3 limits  sorted set: incarnation by its max
--   4 levels  sorted set: id by the group time at which its last level is forgotten
--   5 stales  sorted set: incarnation by its stale age
--   6 errors  sorted set: incarnation by its clock error
-- Each sorted set also holds the member '' at +inf, so that the six keys exist exactly as long as the group does: a
-- Redis Cluster serves a script in a slot that is being moved only where it finds all of its keys.
--
-- Changed rows are written by commit() in the end; reads within a script go through the cache. Cost: see the functions.
local ROWS, EXPIRY, LIMITS, LEVELS, STALES, ERRORS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local PRUNE_LIMIT = 1000
-- A day after the last sign of life, or after the last level is forgotten, the server forgets the group.
local KEEP_MS = 86400000
-- Far below the 8,000 or so arguments that unpack can take.
local CHUNK = 200
-- In groups of up to so many members the rows are counted with every change of membership, in larger ones once in so
-- many changes for each member.
local COUNT_ALWAYS, COUNT_SELDOM = 64, 0.25

local cache = {}
local changed = {}

local function unpack_member(incarnation, packed)
  local m = decode(MEMBER, packed, 'm:' .. incarnation)
  m.incarnation, m.stored_expiry_ms = incarnation, m.expires_at_ms
  return m
end

-- The group's row, and the caller's into the cache: O(1). nil when there is no group. One that is not whole is damaged:
-- somebody deleted some of its keys, or the server evicted them.
local function load_group(incarnation)
  local rows = redis.call('HMGET', ROWS, 'group', 'm:' .. incarnation, 'freed')
  if not rows[1] then return nil end
  local g = decode(GROUP, rows[1], 'group')
  with_freed(g, rows[3])
  if redis.call('ZCARD', EXPIRY) ~= g.pool_size + 1 or redis.call('ZCARD', LIMITS) ~= g.pool_size + 1 then
    damaged(field_of('group'), 'pool_size ' .. text(g.pool_size) .. ', which is not what ' .. EXPIRY .. ' and ' .. LIMITS .. ' have')
  end
  g.stored_generation, g.stored_agreed = g.generation, g.adopted == g.pool_size
  cache[incarnation] = rows[2] and unpack_member(incarnation, rows[2])
  return g
end

-- Makes room for a group: O(1). Not beside what is left of another: its members may still use what is on record no
-- more.
local function create_group(g)
  if redis.call('EXISTS', unpack(KEYS)) > 0 then damaged('redis key ' .. ROWS, 'no group, though something of one is left') end
  for i = 2, #KEYS do redis.call('ZADD', KEYS[i], '+inf', '') end
  g.stored_generation, g.stored_agreed = 0, true
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

-- Records a member's max, before smallest_max() is asked: O(log n).
local function put_limit(m)
  redis.call('ZADD', LIMITS, m.max, m.incarnation)
end

-- Records the times that a member declares, before extremes() is asked: O(log n).
local function put_times(m)
  redis.call('ZADD', STALES, m.stale_after_ms, m.incarnation)
  redis.call('ZADD', ERRORS, m.clock_error_ms, m.incarnation)
end

-- Gives a member a rank: O(1).
local function put_rank(m, rank)
  m.rank = rank
  redis.call('HSET', ROWS, 'r:' .. rank, m.incarnation)
  put_member(m)
end

-- Makes a member the holder of its id: O(1).
local function put_holder(m)
  m.standing = 'holder'
  put_member(m)
  redis.call('HSET', ROWS, 'i:' .. m.id, m.incarnation)
end

-- The holder of an id, or false: O(1).
local function holder_of(id)
  local incarnation = redis.call('HGET', ROWS, 'i:' .. id)
  return incarnation and get_member(incarnation)
end

local function member_at_rank(rank)
  local incarnation = redis.call('HGET', ROWS, 'r:' .. rank)
  local m = incarnation and get_member(incarnation)
  if not m then damaged(field_of('r:' .. rank), 'no member') end
  return m
end

-- Deletes a member and the last rank: O(log n).
local function delete_member(m, last_rank)
  redis.call('HDEL', ROWS, 'm:' .. m.incarnation, 'r:' .. last_rank)
  if redis.call('HGET', ROWS, 'i:' .. m.id) == m.incarnation then redis.call('HDEL', ROWS, 'i:' .. m.id) end
  for _, key in ipairs({ EXPIRY, LIMITS, STALES, ERRORS }) do redis.call('ZREM', key, m.incarnation) end
  cache[m.incarnation], changed[m.incarnation] = false, nil
end

-- Incarnations of members that are stale at this liveness time, PRUNE_LIMIT at most: O(log n + found).
local function expired(liveness_ms)
  return redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', liveness_ms, 'LIMIT', 0, PRUNE_LIMIT)
end

-- The smallest max of a member; 0 without members: O(log n).
local function smallest_max()
  local first = redis.call('ZRANGE', LIMITS, 0, 0, 'WITHSCORES')
  return first[1] == '' and 0 or tonumber(first[2])
end

-- The smallest and largest stale age of a member and the largest clock error, or nil without members: O(log n).
local function extremes(pool_size)
  if redis.call('ZCARD', STALES) ~= pool_size + 1 or redis.call('ZCARD', ERRORS) ~= pool_size + 1 then
    damaged('redis keys ' .. STALES .. ' and ' .. ERRORS, 'not the group\'s members')
  end
  if pool_size == 0 then return nil end
  -- The last of each is '', at +inf.
  local shortest = redis.call('ZRANGE', STALES, 0, 0, 'WITHSCORES')
  local longest = redis.call('ZREVRANGE', STALES, 1, 1, 'WITHSCORES')
  local error_ms = redis.call('ZREVRANGE', ERRORS, 1, 1, 'WITHSCORES')
  return tonumber(shortest[2]), tonumber(longest[2]), tonumber(error_ms[2])
end

-- Number of members and sum of what they hold, from their rows, when it is time to count them (R18): O(members),
-- otherwise nil. Generations are times, so that their last digits are as good as chance.
local function count_members(g)
  if g.pool_size > COUNT_ALWAYS and g.generation % math.floor(g.pool_size * COUNT_SELDOM) ~= 0 then return nil end
  local pool_size, held = 0, 0
  local rows = redis.call('HGETALL', ROWS)
  for i = 1, #rows, 2 do
    if string.sub(rows[i], 1, 2) == 'm:' then
      pool_size = pool_size + 1
      held = held + unpack_member(string.sub(rows[i], 3), rows[i + 1]).held
    end
  end
  return pool_size, held
end

-- Remembers the last level of an id, and forgets up to PRUNE_LIMIT levels whose time is over: O(log n + forgotten).
local function remember_level(id, level, until_ms, now_ms)
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', LEVELS, '-inf', now_ms, 'LIMIT', 0, PRUNE_LIMIT)) do
    redis.call('HDEL', ROWS, 'l:' .. other)
    redis.call('ZREM', LEVELS, other)
  end
  redis.call('HSET', ROWS, 'l:' .. id, encode(LEVEL, { level = level, until_ms = until_ms }))
  redis.call('ZADD', LEVELS, until_ms, id)
end

-- The level remembered for an id, or false: O(1).
local function remembered_level(id, now_ms)
  local packed = redis.call('HGET', ROWS, 'l:' .. id)
  if not packed then return false end
  local remembered = decode(LEVEL, packed, 'l:' .. id)
  return remembered.until_ms > now_ms and remembered.level
end

-- Writes what changed, keeps the keys from expiring, and announces a new generation or an agreement on the channel:
-- O(log n) for each changed member. Expiry is set when keys may be new, and otherwise after half a day and the longest
-- stale age.
local function commit(g, channel)
  local announce = g.generation ~= g.stored_generation or (not g.stored_agreed and g.adopted == g.pool_size)
  local keep_until_ms
  if g.generation ~= g.stored_generation or clock_ms < g.kept_at_ms or clock_ms > g.kept_at_ms + KEEP_MS / 2 + g.longest_stale_ms then
    g.kept_at_ms = clock_ms
    keep_until_ms = string.format('%.0f', clock_ms + g.keep_ms)
  end
  local fields = { 'group', encode(GROUP, g), 'freed', freed_beside(g) }
  for incarnation, m in pairs(changed) do
    fields[#fields + 1] = 'm:' .. incarnation
    fields[#fields + 1] = encode(MEMBER, m)
    if m.expires_at_ms ~= m.stored_expiry_ms then redis.call('ZADD', EXPIRY, m.expires_at_ms, incarnation) end
  end
  for i = 1, #fields, CHUNK do
    redis.call('HSET', ROWS, unpack(fields, i, math.min(i + CHUNK - 1, #fields)))
  end
  if keep_until_ms then
    for i = 1, #KEYS do redis.call('PEXPIREAT', KEYS[i], keep_until_ms) end
    note_group(keep_until_ms)
  end
  if announce then hint(string.sub(ROWS, 1, -#'rows' - 1) .. 'hints', channel) end
end
