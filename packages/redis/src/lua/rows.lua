-- Rows, read and written. What they look like: formats.lua.
-- Raises  { damaged = what is wrong }, which healing() in repair.lua answers; { newer = version, where = what has it };
--         or { unreleased = what has a format from before the first release }
-- Cost    O(fields)

-- What members want (R21) that share by demand: want, how many, ...; the smallest want first.
local function read_wants(packed)
  if packed == '' then return {} end
  local wants, last = { cmsgpack.unpack(packed) }, -1
  for i = 1, #wants, 2 do
    local want, members = wants[i], wants[i + 1]
    if not (want > last and want < 2^53 and want % 1 == 0 and members > 0 and members <= 1e9 and members % 1 == 0) then
      error('wants that nobody has', 0)
    end
    last = want
  end
  return wants
end

local function read_group(v)
  if not is_group(unpack(v, 2, 30)) then error('what no group has', 0) end
  return {
    last_ms = v[2], generation = v[3], member_count = v[4], held = v[5], adopted = v[6], capacity = v[7], largest_member_count = v[8],
    interval_ms = v[9], created_at_ms = v[10], learn_from_ms = v[11], learn_until_ms = v[12], offset_ms = v[13], lapsed_ms = v[14],
    quiet_limit_ms = v[15], longest_stale_ms = v[16], clock_error_ms = v[17], ahead_until_ms = v[18], repairs = v[19], keep_ms = v[20],
    kept_at_ms = v[21], freed_epoch = v[22], spent = v[23], hungry_ms = v[24], packed_wants = v[25], earliest_ms = v[26],
    wants = read_wants(v[25]), paused_until_ms = v[27], stored_paused_ms = v[27],
    limit = v[28] and { revision = v[28], max = v[29] },
  }
end

local function write_group(g)
  if not g.packed_wants then g.packed_wants = g.wants[1] and cmsgpack.pack(unpack(g.wants)) or '' end
  return cmsgpack.pack(TAG, g.last_ms, g.generation, g.member_count, g.held, g.adopted, g.capacity, g.largest_member_count, g.interval_ms,
    g.created_at_ms, g.learn_from_ms, g.learn_until_ms, g.offset_ms, g.lapsed_ms, g.quiet_limit_ms, g.longest_stale_ms, g.clock_error_ms,
    g.ahead_until_ms, g.repairs, g.keep_ms, g.kept_at_ms, g.freed_epoch, g.spent, g.hungry_ms, g.packed_wants, g.earliest_ms,
    g.paused_until_ms, g.limit and g.limit.revision or false, g.limit and g.limit.max or false)
end

local function read_member(v)
  if not is_member(unpack(v, 2, 21)) then error('what no member has', 0) end
  return {
    seq = v[2], expires_at_ms = v[3], activity = v[4], id = v[5], rank = v[6], generation = v[7], member_count = v[8], held = v[9], max = v[10],
    level = v[11], stale_after_ms = v[12], clock_error_ms = v[13], resume_within_ms = v[14], standing = v[15], joined = v[16], want = v[17],
    odd = v[18], gave_up_ms = v[19], rest_until_ms = v[20], incarnation = false, stored_expiry_ms = false,
  }
end

local function write_member(m)
  return cmsgpack.pack(TAG, m.seq, m.expires_at_ms, m.activity, m.id, m.rank, m.generation, m.member_count, m.held, m.max, m.level,
    m.stale_after_ms, m.clock_error_ms, m.resume_within_ms, m.standing, m.joined, m.want, m.odd, m.gave_up_ms, m.rest_until_ms)
end

-- The most that a member allows: what it declares or, with `stored`, the copy (R36).
local function limit_of(g, m)
  return m.max or g.limit and g.limit.max or 0
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
  local version = type(tag) == 'string' and tonumber(string.match(tag, '^f(%d+)$')) or 0
  if tag == 'dt1' then error({ unreleased = field_of(field) }, 0) end
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
