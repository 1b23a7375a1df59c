-- For how long the data was certainly whole, whatever the server's clock did: the first part of what data() answers.
-- Nothing tells a jump of the clock from a silence, so that an interval read off it may be too long: a loss of data,
-- and then a jump, would pass for old data. So what counts is a sum of stretches between operations, each up to a
-- bound. Of every group such a sum is there already: its liveness time, which a jump moves on by a quarter of a stale
-- age.
--
-- Two members of <prefix>:data, which go with the marker:
--   'looked' -> minus the server's time when a group was last made
--   'lived' -> minus the milliseconds counted by then, and 1 less, since 0 is the score of 'scan'
-- Cost: O(log n), and the rows of five groups.
local PREFIX, GROUP_NAME = string.match(KEYS[1], '^(.*)({[^{}]*}):')
local DATA = PREFIX .. 'data'
-- The most that counts of the time between two groups that are made.
local STRETCH_MS = 1000
local GROUPS_LOOKED_AT = 5

-- How long a group has lived, by its own sum; 0 for one that may be older than the marker. A jump counts in it as at
-- most STRETCH_MS, as in the sum here.
local function lived_by(name, marked_ms)
  local packed = redis.call('HMGET', PREFIX .. name .. ':rows', 'group')[1]
  local sound, g = pcall(decode, read_group, packed, 'group')
  -- Times of a member that is ahead, or from before the clock was set back, are in the offset. A millisecond is for
  -- rounding.
  if not sound or g.created_at_ms - g.offset_ms < marked_ms - 1 then return 0 end
  return liveness_time(g) - g.created_at_ms - math.max(0, g.longest_stale_ms * QUIET_PART - STRETCH_MS)
end

-- A lower bound of the time since the marker was made, at `marked_ms`, for one jump of the clock in a stale age.
local function proven_ms(marked_ms)
  local looked, lived = tonumber(redis.call('ZSCORE', DATA, 'looked') or nil), tonumber(redis.call('ZSCORE', DATA, 'lived') or nil)
  local lived_ms = 0
  if looked and lived then lived_ms = -lived - 1 + math.max(0, math.min(clock_ms + looked, STRETCH_MS)) end
  -- Those that changed or were made last.
  for _, name in ipairs(redis.call('ZREVRANGE', DATA, 0, GROUPS_LOOKED_AT - 1)) do
    if string.byte(name) == 123 then lived_ms = math.max(lived_ms, lived_by(name, marked_ms)) end
  end
  redis.call('ZADD', DATA, -clock_ms, 'looked', -lived_ms - 1, 'lived')
  return lived_ms - STRETCH_MS
end
