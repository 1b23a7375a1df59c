-- What rows look like: the one place where that is declared, as ledger/rows.ts is for @dt/core. Part 3 of every script
-- of a group. A row is stored as MessagePack, which keeps every double as it is: first 'dt' and the version of its
-- format, then its fields in this order. A new field comes last, with a new version. Rows are checked when they are
-- read.
-- Raises  { damaged = what is wrong }, which healing() in repair.lua answers, or { newer = version, where = what has it
--         }
-- Cost    O(fields)
local VERSION = 1
local TAG = 'dt' .. VERSION
local MOST_WHOLE, MOST_TOKENS, MOST_MEMBERS, LONGEST_MS, BEYOND_MS = 9007199254740991, 1e12, 1e9, 1e12, 1e16

-- What a field may be: the least, the most, and whether it is whole; or a function.
local COUNT, MEMBERS, TOKENS = { 0, MOST_WHOLE, true }, { 0, MOST_MEMBERS, true }, { 0, MOST_TOKENS, true }
local DURATION, MOMENT, OFFSET = { 0, LONGEST_MS }, { 0, BEYOND_MS }, { -BEYOND_MS, BEYOND_MS }
local ARRIVAL, AMOUNT = { -MOST_WHOLE, MOST_WHOLE, true }, { 0, MOST_TOKENS }

local function is_name(value) return type(value) == 'string' and value ~= '' end
local function is_standing(value) return value == 'newcomer' or value == 'holder' or value == 'fenced' end
local function is_level(value) return value == false or type(value) == 'number' and value >= 0 and value <= MOST_TOKENS end

-- Fields in order, each with what it may be.
local GROUP = {
  'generation', COUNT, 'pool_size', MEMBERS, 'held', COUNT, 'adopted', MEMBERS, 'capacity', TOKENS, 'largest_pool_size', MEMBERS,
  'interval_ms', DURATION, 'created_at_ms', MOMENT, 'learn_from_ms', MOMENT, 'learn_until_ms', MOMENT, 'last_ms', MOMENT,
  'offset_ms', OFFSET, 'lapsed_ms', MOMENT, 'quiet_limit_ms', DURATION, 'longest_stale_ms', DURATION, 'clock_error_ms', DURATION,
  'ahead_until_ms', MOMENT, 'repairs', COUNT, 'keep_ms', MOMENT, 'kept_at_ms', MOMENT,
}
local MEMBER = {
  'id', is_name, 'seq', COUNT, 'rank', MEMBERS, 'generation', COUNT, 'pool_size', MEMBERS, 'held', TOKENS, 'max', TOKENS,
  'level', is_level, 'stale_after_ms', DURATION, 'clock_error_ms', DURATION, 'resume_within_ms', DURATION, 'expires_at_ms', MOMENT,
  'standing', is_standing, 'joined', ARRIVAL,
}
local LEVEL = { 'level', AMOUNT, 'until_ms', MOMENT }
-- Fields that came after version 1, by name: the version they came with, and the value that older rows have.
local ADDED = {}

-- What holds a row, for messages.
local function field_of(field)
  return 'redis key ' .. KEYS[1] .. ', field ' .. field .. ','
end

local function damaged(where, fault)
  error({ damaged = where .. ' holds ' .. fault }, 0)
end

local function shown(value)
  return type(value) == 'table' and 'a list' or string.sub(tostring(value), 1, 40)
end

local function wrong(field, name, value)
  damaged(field_of(field), name .. ' ' .. shown(value))
end

local function encode(format, row)
  local values, at = { TAG }, 1
  for i = 1, #format, 2 do
    at = at + 1
    values[at] = row[format[i]]
  end
  return cmsgpack.pack(unpack(values))
end

-- The row that encode() of this version or an older one made, of this field.
local function decode(format, packed, field)
  local values = { pcall(cmsgpack.unpack, packed) }
  if not values[1] then damaged(field_of(field), 'no row') end
  local version = VERSION
  if values[2] ~= TAG then
    version = type(values[2]) == 'string' and tonumber(string.match(values[2], '^dt(%d+)$')) or 0
    if version > VERSION then error({ newer = version, where = field_of(field) }, 0) end
    if version < 1 then damaged(field_of(field), 'something else, which begins with ' .. shown(values[2])) end
  end
  local row = {}
  local at = 2
  for i = 1, #format, 2 do
    local name, kind, value = format[i], format[i + 1], nil
    local added = ADDED[name]
    if added and added[1] > version then
      value = added[2]
    else
      at = at + 1
      value = values[at]
    end
    local least = type(kind) == 'table' and kind[1]
    if least then
      if type(value) ~= 'number' or not (value >= least and value <= kind[2]) or kind[3] and value % 1 ~= 0 then wrong(field, name, value) end
    elseif not kind(value) then
      wrong(field, name, value)
    end
    row[name] = value
  end
  if values[at + 1] ~= nil then damaged(field_of(field), 'more than ' .. (at - 2) .. ' fields') end
  return row
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
