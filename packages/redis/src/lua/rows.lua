-- What rows look like: the one place where that is declared, as ledger/rows.ts is for @dt/core. Part 3 of every script
-- of a group. A row is stored as MessagePack, which keeps every double as it is: first 'dt' and the version of its
-- format, then its fields in this order. A new field comes last, with a new version, and has a value for older rows.
-- Rows are checked when they are read. All is written out: loops over lists of fields cost a sync a tenth more.
-- Raises  { damaged = what is wrong }, which healing() in repair.lua answers, or { newer = version, where = what has it
--         }
-- Cost    O(fields)
local VERSION = 1
local TAG = 'dt' .. VERSION
local MOST_WHOLE, MOST_TOKENS, MOST_MEMBERS, LONGEST_MS, BEYOND_MS = 9007199254740991, 1e12, 1e9, 1e12, 1e16

-- What a field may be; anything else is an error, as it is to compare what is no number with one.
local function between(least, most, value)
  if value >= least and value <= most then return value end
  error(tostring(value), 0)
end

local function whole(most, value)
  if value >= 0 and value <= most and value % 1 == 0 then return value end
  error(tostring(value), 0)
end

local function one_of(is_it, value)
  if is_it then return value end
  error(tostring(value), 0)
end

local function read_group(v)
  return {
    generation = whole(MOST_WHOLE, v[2]), pool_size = whole(MOST_MEMBERS, v[3]), held = whole(MOST_WHOLE, v[4]),
    adopted = whole(MOST_MEMBERS, v[5]), capacity = whole(MOST_TOKENS, v[6]), largest_pool_size = whole(MOST_MEMBERS, v[7]),
    interval_ms = between(0, LONGEST_MS, v[8]), created_at_ms = between(0, BEYOND_MS, v[9]),
    learn_from_ms = between(0, BEYOND_MS, v[10]), learn_until_ms = between(0, BEYOND_MS, v[11]), last_ms = between(0, BEYOND_MS, v[12]),
    offset_ms = between(-BEYOND_MS, BEYOND_MS, v[13]), lapsed_ms = between(0, BEYOND_MS, v[14]),
    quiet_limit_ms = between(0, LONGEST_MS, v[15]), longest_stale_ms = between(0, LONGEST_MS, v[16]),
    clock_error_ms = between(0, LONGEST_MS, v[17]), ahead_until_ms = between(0, BEYOND_MS, v[18]), repairs = whole(MOST_WHOLE, v[19]),
    keep_ms = between(0, BEYOND_MS, v[20]), kept_at_ms = between(0, BEYOND_MS, v[21]), spent = 0,
  }, 21
end

local function write_group(g)
  return cmsgpack.pack(TAG, g.generation, g.pool_size, g.held, g.adopted, g.capacity, g.largest_pool_size, g.interval_ms, g.created_at_ms,
    g.learn_from_ms, g.learn_until_ms, g.last_ms, g.offset_ms, g.lapsed_ms, g.quiet_limit_ms, g.longest_stale_ms, g.clock_error_ms,
    g.ahead_until_ms, g.repairs, g.keep_ms, g.kept_at_ms)
end

local function read_member(v)
  local id, level, standing = v[2], v[9], v[14]
  return {
    id = one_of(type(id) == 'string' and id ~= '', id), seq = whole(MOST_WHOLE, v[3]), rank = whole(MOST_MEMBERS, v[4]),
    generation = whole(MOST_WHOLE, v[5]), pool_size = whole(MOST_MEMBERS, v[6]), held = whole(MOST_TOKENS, v[7]),
    max = whole(MOST_TOKENS, v[8]), level = one_of(level == false or between(0, MOST_TOKENS, level), level), stale_after_ms = between(0, LONGEST_MS, v[10]),
    clock_error_ms = between(0, LONGEST_MS, v[11]), resume_within_ms = between(0, LONGEST_MS, v[12]),
    expires_at_ms = between(0, BEYOND_MS, v[13]),
    standing = one_of(standing == 'holder' or standing == 'newcomer' or standing == 'fenced', standing),
    joined = v[15] < 0 and -whole(MOST_WHOLE, -v[15]) or whole(MOST_WHOLE, v[15]), incarnation = false, stored_expiry_ms = false,
  }, 15
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
  local row, size = read(values, values[1] == TAG and VERSION or version_of(values[1], field))
  if values[size + 1] ~= nil then error('more than ' .. size .. ' values', 0) end
  return row
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
local function freed_beside(g)
  return cmsgpack.pack(g.last_ms, g.generation, g.held, g.adopted, g.freed_epoch or false, g.spent)
end

local function is_count(value) return type(value) == 'number' and value >= 0 and value <= MOST_WHOLE and value % 1 == 0 end

-- Adds to a group's row what stands beside it: false where nothing does.
local function with_freed(g, packed)
  g.freed_epoch, g.spent = nil, 0
  if not packed then return end
  local sound, last_ms, generation, held, adopted, freed_epoch, spent = pcall(cmsgpack.unpack, packed)
  local belongs = sound and last_ms == g.last_ms and generation == g.generation and held == g.held and adopted == g.adopted
  if belongs and is_count(freed_epoch) and is_count(spent) then g.freed_epoch, g.spent = freed_epoch, spent end
end
