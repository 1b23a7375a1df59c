-- What the members of a group are looked up by, their levels, and what a group begins with: first part of membership(),
-- see membership.lua. KEYS: see table.lua. Cost: see the functions.

local LIMITS, LEVELS, STALES, ERRORS = KEYS[3], KEYS[4], KEYS[5], KEYS[6]
-- In groups of up to so many members the rows are counted with every change of membership, in larger ones once in so
-- many changes for each member: about once in 16 at 65 members, in 250 at 1,000. The server does nothing else while it
-- counts; so a change costs four rows on average, however large the group is.
local COUNT_ALWAYS, COUNT_SELDOM = 64, 0.25

-- The last level of an id that is gone, and until when it is remembered.
local function read_level(v)
  local level, until_ms = v[2], v[3]
  local is_sound = level >= 0 and level <= 1e12 and until_ms >= 0 and until_ms <= 1e16 and v[4] == nil
  if not is_sound then error('what no level has', 0) end
  return { level = level, until_ms = until_ms }
end

local function write_level(level, until_ms)
  return cmsgpack.pack(TAG, level, until_ms)
end

-- The row of a group in which nothing is yet.
local function blank_group(now_ms)
  return {
    generation = 0, member_count = 0, held = 0, adopted = 0, capacity = 0, largest_member_count = 0, interval_ms = 0, created_at_ms = now_ms,
    learn_from_ms = 0, learn_until_ms = 0, last_ms = now_ms, offset_ms = 0, lapsed_ms = 0, quiet_limit_ms = 0, longest_stale_ms = 0,
    clock_error_ms = 0, ahead_until_ms = 0, repairs = 0, keep_ms = 0, kept_at_ms = 0, freed_epoch = false, spent = 0, hungry_ms = false,
    wants = {}, earliest_ms = false, paused_until_ms = 0, stored_paused_ms = 0, limit = false,
  }
end

-- Makes room for a group: O(1). Not beside what is left of another: its members may still use what is on record no
-- more.
local function create_group(g)
  if redis.call('EXISTS', unpack(KEYS)) > 0 then damaged('redis key ' .. ROWS, 'no group, though something of one is left') end
  for i = 2, #KEYS do redis.call('ZADD', KEYS[i], '+inf', '') end
  g.stored_generation, g.stored_agreed = 0, true
  return g
end

-- Records a member's max, before smallest_max() is asked: O(log n). One with a stored limit declares none.
local function put_limit(m)
  redis.call('ZADD', LIMITS, m.max or '+inf', m.incarnation)
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
  redis.call('HDEL', ROWS, 'm:' .. m.incarnation, 'r:' .. last_rank, 's:' .. m.incarnation)
  if redis.call('HGET', ROWS, 'i:' .. m.id) == m.incarnation then redis.call('HDEL', ROWS, 'i:' .. m.id) end
  for _, key in ipairs({ EXPIRY, LIMITS, STALES, ERRORS, KEYS[7], KEYS[8] }) do redis.call('ZREM', key, m.incarnation) end
  cache[m.incarnation], changed[m.incarnation] = false, nil
  if slots then slots.rows[m.incarnation], slots.changed[m.incarnation] = false, nil end
end

-- The smallest max that a member declares, or nil where none does: O(log n).
local function smallest_max(member_count)
  if redis.call('ZCARD', LIMITS) ~= member_count + 1 then damaged('redis key ' .. LIMITS, 'not the group\'s members') end
  local first = redis.call('ZRANGE', LIMITS, 0, 0, 'WITHSCORES')
  return first[2] ~= 'inf' and tonumber(first[2]) or nil
end

-- True where a member has a stored limit: O(log n).
local function has_stored()
  return redis.call('ZCOUNT', LIMITS, '+inf', '+inf') > 1
end

-- The smallest and largest stale age of a member and the largest clock error, or nil without members: O(log n).
local function extremes(member_count)
  if redis.call('ZCARD', STALES) ~= member_count + 1 or redis.call('ZCARD', ERRORS) ~= member_count + 1 then
    damaged('redis keys ' .. STALES .. ' and ' .. ERRORS, 'not the group\'s members')
  end
  if member_count == 0 then return nil end
  -- The last of each is '', at +inf.
  local shortest = redis.call('ZRANGE', STALES, 0, 0, 'WITHSCORES')
  local longest = redis.call('ZREVRANGE', STALES, 1, 1, 'WITHSCORES')
  local error_ms = redis.call('ZREVRANGE', ERRORS, 1, 1, 'WITHSCORES')
  return tonumber(shortest[2]), tonumber(longest[2]), tonumber(error_ms[2])
end

-- Number of members, sum of what they hold, and what they want, from their rows, when it is time to count them (R18):
-- O(members), otherwise nil. Generations are times, so that their last digits are as good as chance.
local function count_members(g)
  if g.member_count > COUNT_ALWAYS and g.generation % math.floor(g.member_count * COUNT_SELDOM) ~= 0 then return nil end
  local member_count, held, counted = 0, 0, { wants = {} }
  local rows = redis.call('HGETALL', ROWS)
  for i = 1, #rows, 2 do
    if string.sub(rows[i], 1, 2) == 'm:' then
      local m = unpack_member(string.sub(rows[i], 3), rows[i + 1])
      member_count = member_count + 1
      held = held + m.held
      if m.want then demand().count(counted, m.want, 1) end
    end
  end
  return member_count, held, counted.wants
end

-- Remembers the last level of an id, and forgets up to PRUNE_LIMIT levels whose time is over: O(log n + forgotten).
local function remember_level(id, level, until_ms, now_ms)
  for _, other in ipairs(redis.call('ZRANGEBYSCORE', LEVELS, '-inf', now_ms, 'LIMIT', 0, PRUNE_LIMIT)) do
    redis.call('HDEL', ROWS, 'l:' .. other)
    redis.call('ZREM', LEVELS, other)
  end
  redis.call('HSET', ROWS, 'l:' .. id, write_level(level, until_ms))
  redis.call('ZADD', LEVELS, until_ms, id)
end

-- The level remembered for an id, or false: O(1).
local function remembered_level(id, now_ms)
  local packed = redis.call('HGET', ROWS, 'l:' .. id)
  if not packed then return false end
  local remembered = decode(read_level, packed, 'l:' .. id)
  return remembered.until_ms > now_ms and remembered.level
end
