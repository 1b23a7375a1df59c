-- What heals a group (R18), ported from ledger/repair.ts of @dt/core.
-- Cost  O(members + remembered levels)

-- Checks every row of a group and makes good what can be; answers what was wrong, how many members are left, and
-- whether they were forgotten. What it leaves behind follows from the members' rows alone, so that it may run after an
-- operation that was half done. All of its functions are inside, so that a script that has nothing to repair does not
-- make them.
local function repair(reset, channel)
  local members = membership()
  local LIMITS, LEVELS, STALES, ERRORS = KEYS[3], KEYS[4], KEYS[5], KEYS[6]

  -- A stored row, or nil when it is damaged; a reset forgets rows of other versions as well.
  local function readable(read, packed, field, found, reset)
    local sound, row = pcall(decode, read, packed, field)
    if sound then return row end
    if type(row) ~= 'table' or not (row.damaged or (row.newer or row.unreleased) and reset) then error(row, 0) end
    found[#found + 1] = row.damaged or row.newer and row.where .. ' is of the newer format version ' .. text(row.newer)
      or row.unreleased .. ' has a format from before the first release'
    return nil
  end

  -- Everything stored of a group: its row or nil, its sound members, how many rows of members there are, the levels
  -- remembered (until when, id, ...), and the fields of all but these.
  local function read_all(found, reset)
    local group, list, stored, levels, others = nil, {}, 0, {}, {}
    local rows = redis.call('HGETALL', ROWS)
    for i = 1, #rows, 2 do
      local field, packed = rows[i], rows[i + 1]
      local kind = string.sub(field, 1, 2)
      local remembered = kind == 'l:' and readable(members.read_level, packed, field, found, reset)
      if remembered then
        levels[#levels + 1] = remembered.until_ms
        levels[#levels + 1] = string.sub(field, 3)
      else
        others[#others + 1] = field
      end
      if field == 'group' then
        group = readable(read_group, packed, field, found, reset)
      elseif kind == 'm:' then
        stored = stored + 1
        local m = readable(read_member, packed, field, found, reset)
        if m then
          m.incarnation = string.sub(field, 3)
          list[#list + 1] = m
        end
      end
    end
    -- A member with a stored limit has none where the group has no copy of it.
    for i = #list, 1, -1 do
      if group and not group.limit and not list[i].max then
        found[#found + 1] = list[i].id .. ' has the stored limit where the group has none'
        table.remove(list, i)
      end
    end
    return group, list, stored, levels, others
  end

  -- The members with ranks 0 .. n - 1, and one holder of each id at most: the one that came last.
  local function in_order(list, found)
    local holders = {}
    for _, m in ipairs(list) do
      local other = holders[m.id]
      if m.standing == 'holder' and (not other or other.joined < m.joined) then holders[m.id] = m end
    end
    table.sort(list, function(a, b) return a.rank < b.rank or (a.rank == b.rank and a.incarnation < b.incarnation) end)
    for i, m in ipairs(list) do
      if m.rank ~= i - 1 then found[#found + 1] = 'the rank of ' .. m.id .. ' is ' .. text(m.rank) .. ' where ' .. text(i - 1) .. ' is free' end
      m.rank = i - 1
      if m.standing == 'holder' and holders[m.id] ~= m then
        found[#found + 1] = m.id .. ' has two holders'
        m.standing = 'fenced'
      end
    end
  end

  -- What the members' rows make of the aggregates.
  local function counted_of(list, g)
    local c = { member_count = #list, held = 0, adopted = 0, capacity = 0, quiet_limit_ms = g.quiet_limit_ms,
      longest_stale_ms = g.longest_stale_ms, clock_error_ms = 0 }
    local shortest_ms, smallest, has_stored = math.huge, nil, false
    local wants = { wants = {} }
    for i, m in ipairs(list) do
      if m.want then demand().count(wants, m.want, 1) end
      c.held = c.held + m.held
      if m.max then smallest = math.min(smallest or m.max, m.max) else has_stored = true end
      if m.generation == g.generation then c.adopted = c.adopted + 1 end
      shortest_ms = math.min(shortest_ms, m.stale_after_ms)
      c.quiet_limit_ms = shortest_ms * QUIET_PART
      c.longest_stale_ms = i == 1 and m.stale_after_ms or math.max(c.longest_stale_ms, m.stale_after_ms)
      c.clock_error_ms = math.max(c.clock_error_ms, m.clock_error_ms)
    end
    local limit = has_stored and g.limit
    c.capacity = members.capacity_of(limit, smallest)
    return c, wants.wants, limit
  end

  -- Whether the sorted sets have exactly these members, and what they are to be found by.
  local function is_indexed(list)
    for _, key in ipairs({ EXPIRY, LIMITS, STALES, ERRORS }) do
      if redis.call('ZCARD', key) ~= #list + 1 then return false end
    end
    for _, m in ipairs(list) do
      local expiry_ms = tonumber(redis.call('ZSCORE', EXPIRY, m.incarnation) or -1)
      if expiry_ms ~= math.ceil(m.expires_at_ms) and expiry_ms ~= place_of(m.expires_at_ms, m.stale_after_ms) then return false end
      local places = { [LIMITS] = m.max or math.huge, [STALES] = m.stale_after_ms, [ERRORS] = m.clock_error_ms }
      for key, place in pairs(places) do
        if tonumber(redis.call('ZSCORE', key, m.incarnation) or -1) ~= place then return false end
      end
      if redis.call('HGET', ROWS, 'r:' .. text(m.rank)) ~= m.incarnation then return false end
      if m.standing == 'holder' and redis.call('HGET', ROWS, 'i:' .. m.id) ~= m.incarnation then return false end
    end
    return redis.call('ZSCORE', LEVELS, '') ~= false
  end

  -- Puts these rows, and all that is looked up by, in the place of everything stored but remembered levels.
  local function replace(g, list, levels, others, channel)
    for i = 1, #others, CHUNK do
      redis.call('HDEL', ROWS, unpack(others, i, math.min(i + CHUNK - 1, #others)))
    end
    for i = 2, #KEYS do
      redis.call('UNLINK', KEYS[i])
      redis.call('ZADD', KEYS[i], '+inf', '')
    end
    for i = 1, #levels, 2 do redis.call('ZADD', LEVELS, levels[i], levels[i + 1]) end
    for _, m in ipairs(list) do
      members.put_rank(m, m.rank)
      members.put_limit(m)
      members.put_times(m)
      if m.standing == 'holder' then members.put_holder(m) end
    end
    g.stored_generation, g.stored_agreed = 0, true
    -- What was freed and used counts as not known (R20).
    g.freed_epoch, g.spent, g.earliest_ms = false, 0, false
    commit(g, channel)
    cache, changed = {}, {}
  end

  -- Tokens that are on record no more may be in use until their holders' shares have ended.
  local function learn_anew(g, longest_stale_ms)
    g.learn_from_ms = liveness_time(g)
    g.learn_until_ms = math.max(g.learn_until_ms, g.learn_from_ms + longest_stale_ms)
    g.repairs = g.repairs + 1
  end

  -- A group without members that continues another one as far as that is known.
  local function anew(before)
    if before then return before end
    local g = members.blank_group(clock_ms)
    g.learn_from_ms, g.keep_ms = clock_ms, KEEP_MS
    return g
  end

  cache, changed = {}, {}
  if slots then slots.rows, slots.changed, slots.hints = {}, {}, {} end
  local found = {}
  local group, list, stored, levels, others = read_all(found, reset)
  if not group and #found == 0 then
    if redis.call('EXISTS', unpack(KEYS)) == 0 then return found, 0, false end
    found[1] = 'the group\'s own row is missing, though something of the group is left'
  end
  local g = anew(group)
  advance_clock(g, 0)
  local newest = g.generation
  for _, m in ipairs(list) do newest = math.max(newest, m.generation, math.abs(m.joined)) end
  if not group or reset then
    local c = counted_of(list, g)
    local longest_ms = math.max(g.longest_stale_ms, c.longest_stale_ms)
    g.ahead_until_ms = math.max(g.ahead_until_ms, g.last_ms + math.max(g.clock_error_ms, c.clock_error_ms))
    g.member_count, g.held, g.capacity, g.largest_member_count, g.clock_error_ms, g.created_at_ms = 0, 0, 0, 0, 0, g.last_ms
    g.longest_stale_ms, g.generation, g.wants, g.packed_wants = longest_ms, newest, {}, nil
    g.keep_ms = math.max(g.keep_ms, KEEP_MS + 2 * longest_ms)
    -- A person who resets a group wants it to go on.
    g.paused_until_ms, g.limit = 0, false
    members.next_generation(g)
    learn_anew(g, longest_ms)
    replace(g, {}, levels, others, channel)
    return found, 0, true
  end
  -- A member that is looked up by, and has no row: what it held is on record no more.
  local missing = redis.call('ZCARD', EXPIRY) - 1 - stored
  if missing > 0 then found[#found + 1] = text(missing) .. ' members have no row' end
  local dropped = #list < stored or missing > 0
  in_order(list, found)
  local c, wants, limit = counted_of(list, g)
  for name, value in pairs(c) do
    if not dropped and g[name] ~= value then
      found[#found + 1] = 'the group\'s ' .. name .. ' is ' .. text(g[name]) .. ' where its members make it ' .. text(value)
    end
  end
  if newest > g.generation then found[#found + 1] = 'a member knows a generation that is newer than the group\'s' end
  if #found == 0 and not is_indexed(list) then found[1] = 'what members are looked up by does not fit their rows' end
  if #found == 0 then return found, #list, false end
  local longest_ms = math.max(g.longest_stale_ms, c.longest_stale_ms)
  for name, value in pairs(c) do g[name] = value end
  g.largest_member_count, g.generation, g.wants, g.packed_wants, g.limit = g.member_count, newest, wants, nil, limit
  members.next_generation(g)
  if dropped then learn_anew(g, longest_ms) end
  replace(g, list, levels, others, channel)
  return found, #list, false
end

-- Runs an operation, and again after a repair when it finds damage. What cannot be served is answered { 'damaged', what
-- }, { 'newer', what, version, known } or { 'unreleased', what }; and { 'needs slots' }, before anything was changed,
-- by a script that is to be sent again with all keys of a semaphore; and { 'limit', what } where the limit record is
-- damaged.
local function healing(operation)
  local done, reply = pcall(operation)
  if not done and type(reply) == 'table' and reply.damaged then
    done, reply = pcall(function()
      repair(false, ARGV[1])
      return operation()
    end)
  end
  if done then return reply end
  if type(reply) == 'table' and reply.damaged then return { 'damaged', reply.damaged } end
  if type(reply) == 'table' and reply.limit then return { 'limit', reply.limit } end
  if type(reply) == 'table' and reply.needs_slots then return { 'needs slots' } end
  if type(reply) == 'table' and reply.unreleased then return { 'unreleased', reply.unreleased } end
  if type(reply) == 'table' and reply.newer then return { 'newer', reply.where, text(reply.newer), text(VERSION) } end
  error(reply, 0)
end
