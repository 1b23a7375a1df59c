-- Rows, read and written. Part 6 of every script of a group. What they look like: formats.lua.
-- Raises  { damaged = what is wrong }, which healing() in repair.lua answers, or { newer = version, where = what has it
--         }
-- Cost    O(fields)

local function read_group(v)
  if not is_group(unpack(v, 2, 22)) then error('what no group has', 0) end
  return {
    generation = v[2], pool_size = v[3], held = v[4], adopted = v[5], capacity = v[6], largest_pool_size = v[7], interval_ms = v[8],
    created_at_ms = v[9], learn_from_ms = v[10], learn_until_ms = v[11], last_ms = v[12], offset_ms = v[13], lapsed_ms = v[14],
    quiet_limit_ms = v[15], longest_stale_ms = v[16], clock_error_ms = v[17], ahead_until_ms = v[18], repairs = v[19], keep_ms = v[20],
    kept_at_ms = v[21], spent = 0,
  }
end

local function write_group(g)
  return cmsgpack.pack(TAG, g.generation, g.pool_size, g.held, g.adopted, g.capacity, g.largest_pool_size, g.interval_ms, g.created_at_ms,
    g.learn_from_ms, g.learn_until_ms, g.last_ms, g.offset_ms, g.lapsed_ms, g.quiet_limit_ms, g.longest_stale_ms, g.clock_error_ms,
    g.ahead_until_ms, g.repairs, g.keep_ms, g.kept_at_ms)
end

local function read_member(v)
  if not is_member(unpack(v, 2, 16)) then error('what no member has', 0) end
  return {
    id = v[2], seq = v[3], rank = v[4], generation = v[5], pool_size = v[6], held = v[7], max = v[8], level = v[9], stale_after_ms = v[10],
    clock_error_ms = v[11], resume_within_ms = v[12], expires_at_ms = v[13], standing = v[14], joined = v[15], incarnation = false,
    stored_expiry_ms = false,
  }
end

local function write_member(m)
  return cmsgpack.pack(TAG, m.id, m.seq, m.rank, m.generation, m.pool_size, m.held, m.max, m.level, m.stale_after_ms, m.clock_error_ms,
    m.resume_within_ms, m.expires_at_ms, m.standing, m.joined)
end

-- What holds a row, for messages.
local function field_of(field)
  return 'redis key ' .. KEYS[1] .. ', field ' .. field .. ','
end

local function damaged(where, fault)
  error({ damaged = where .. ' holds ' .. fault }, 0)
end

-- The version of the format that begins a row.
local function version_of(tag, field)
  local version = type(tag) == 'string' and tonumber(string.match(tag, '^dt(%d+)$')) or 0
  if version > VERSION then error({ newer = version, where = field_of(field) }, 0) end
  if version >= 1 then return version end
  damaged(field_of(field), 'something else, which begins with ' .. (type(tag) == 'table' and 'a list' or string.sub(tostring(tag), 1, 40)))
end

local function unpacked(read, packed, field)
  local values = { cmsgpack.unpack(packed) }
  return read(values, values[1] == TAG and VERSION or version_of(values[1], field))
end

-- The row that is stored in this field, as one of these functions reads it.
local function decode(read, packed, field)
  local sound, row = pcall(unpacked, read, packed, field)
  if sound then return row end
  if type(row) == 'table' then error(row, 0) end
  damaged(field_of(field), 'no row: ' .. string.sub(row, 1, 80))
end

-- What a group's row says of freed tokens (R20) stands beside it, where versions before R20 do not look: they change
-- the row and not this. So it names the row that it was written with, and beside another one it counts as not known.
-- The same goes for when the first member's time is over (remove_stale), which comes last: a version that does not know
-- of it leaves it out.
local function freed_beside(g)
  return cmsgpack.pack(g.last_ms, g.generation, g.held, g.adopted, g.freed_epoch or false, g.spent, g.earliest_ms or false)
end

local function is_count(value) return type(value) == 'number' and value >= 0 and value < 2^53 and value % 1 == 0 end

-- Adds to a group's row what stands beside it: false where nothing does.
local function with_freed(g, packed)
  g.freed_epoch, g.spent, g.earliest_ms = nil, 0, nil
  if not packed then return end
  local sound, last_ms, generation, held, adopted, freed_epoch, spent, earliest_ms = pcall(cmsgpack.unpack, packed)
  local belongs = sound and last_ms == g.last_ms and generation == g.generation and held == g.held and adopted == g.adopted
  if not belongs then return end
  if is_count(freed_epoch) and is_count(spent) then g.freed_epoch, g.spent = freed_epoch, spent end
  if type(earliest_ms) == 'number' then g.earliest_ms = earliest_ms end
end
