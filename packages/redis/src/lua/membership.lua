-- What is done when the membership or the capacity changes, ported from ledger.ts and aggregates.ts of @dt/core: with
-- lookup.lua what membership() answers. Most syncs need none of it, and a function that is not made costs nothing.
-- Cost: see lookup.lua.

-- Another membership or capacity (R5).
local function next_generation(g)
  g.generation = math.max(g.generation + 1, math.floor(g.last_ms))
  g.adopted = 0
end

-- What the members declare of times; in an empty group the silence goes on counting for learning.
local function declare_times(g, shortest_stale_ms, longest_stale_ms, clock_error_ms)
  if shortest_stale_ms then g.quiet_limit_ms, g.longest_stale_ms = shortest_stale_ms * QUIET_PART, longest_stale_ms end
  g.clock_error_ms = clock_error_ms or 0
end

-- A higher one counts from the next epoch.
local function set_capacity(g, capacity)
  local is_higher = capacity > g.capacity
  g.capacity = capacity
  if is_higher then spend_all(g) end
end

-- The smaller one of the copy and of what members without `stored` declare; 0 for neither (R6, R36).
local function capacity_of(limit, smallest)
  return math.min(limit and limit.max or smallest or 0, smallest or limit and limit.max or 0)
end

-- The capacity that follows from the members' rows. The copy goes with the last member that has a stored limit.
local function declared_capacity(g)
  if g.limit and not has_stored() then g.limit = false end
  return capacity_of(g.limit, smallest_max(g.member_count))
end

-- After members were removed.
local function membership_changed(g)
  set_capacity(g, declared_capacity(g))
  declare_times(g, extremes(g.member_count))
  next_generation(g)
end

-- Sets the aggregates right before a change of membership counts on them (R18). A number of members that is wrong is
-- found before: load_group.
local function recount(g)
  local member_count, held, wants = count_members(g)
  if not member_count then return end
  if member_count ~= g.member_count then damaged(field_of('group'), 'member_count ' .. text(g.member_count) .. ' beside ' .. text(member_count) .. ' members') end
  -- What was used of tokens that were not on record is on none either.
  if held ~= g.held then spend_all(g) end
  g.held, g.wants, g.packed_wants = held, wants, nil
end

-- Adds a newcomer to the aggregates.
local function count_in(g, m)
  local first = g.member_count == 0
  local quiet_ms = m.stale_after_ms * QUIET_PART
  g.member_count = g.member_count + 1
  g.held = g.held + m.held
  if m.want then demand().count(g, m.want, 1) end
  local limit = limit_of(g, m)
  g.capacity = first and limit or math.min(g.capacity, limit)
  g.quiet_limit_ms = first and quiet_ms or math.min(g.quiet_limit_ms, quiet_ms)
  g.longest_stale_ms = first and m.stale_after_ms or math.max(g.longest_stale_ms, m.stale_after_ms)
  g.clock_error_ms = first and m.clock_error_ms or math.max(g.clock_error_ms, m.clock_error_ms)
end

-- The last level of a member that is gone or fenced (R13).
local function remember(g, m)
  if m.resume_within_ms <= 0 or not m.level then return end
  remember_level(m.id, m.level, g.last_ms + m.resume_within_ms, g.last_ms)
end

-- The level of the id's holder, which a restart replaces, or the one remembered of it (R13); false without either.
local function level_to_resume(id, incarnation, holder, now_ms)
  if holder and holder.incarnation ~= incarnation and holder.resume_within_ms > 0 and holder.level then return holder.level end
  return remembered_level(id, now_ms)
end

-- Takes a member out; the one with the last rank moves into the vacant rank, so that ranks stay dense (R10). Nothing is
-- known of the use of one that did not say farewell.
local function remove_member(g, m, use)
  local last = member_at_rank(g.member_count - 1)
  delete_member(m, g.member_count - 1)
  if last.incarnation ~= m.incarnation then put_rank(last, m.rank) end
  g.member_count = g.member_count - 1
  if m.want then demand().count(g, m.want, -1) end
  g.ahead_until_ms = math.max(g.ahead_until_ms, g.last_ms + m.clock_error_ms)
  free(g, m.held, 0, use)
  remember(g, m)
end

-- Removes the stale ones of these, never the caller (R4).
local function remove_all(g, incarnations, caller)
  local removed = false
  for _, incarnation in ipairs(incarnations) do
    if incarnation ~= caller then
      if not removed then recount(g) end
      local m = get_member(incarnation)
      if not m then damaged('redis key ' .. EXPIRY, 'a member that has no row') end
      remove_member(g, m)
      removed = true
    end
  end
  if removed then membership_changed(g) end
end

-- A newcomer becomes the holder of its id by its first sync that names the generation of its registration or a later
-- one, so that it has read an answer to it; the holder so far is then fenced (R3). False where it is fenced itself.
local function prove_alive(g, m, generation)
  -- A late message of a process that died: it was sent before the registration that arrived, late as well.
  if generation < math.abs(m.joined) then return true end
  local holder = holder_of(m.id)
  if holder and (m.joined < 0 or holder.joined > m.joined) then
    m.standing = 'fenced'
    put_member(m)
    if slots then slots.rules().leave(m.incarnation) end
    return false
  end
  if holder then
    holder.standing = 'fenced'
    put_member(holder)
    if slots then slots.rules().leave(holder.incarnation) end
    remember(g, holder)
  end
  put_holder(m)
  return true
end

-- Before a member joins that brings another stored limit.
local function limit_changed(g)
  if g.member_count > 0 then set_capacity(g, capacity_of(g.limit, smallest_max(g.member_count))) end
end

-- A member declares another max, or brings another stored limit.
local function change_max(g, m, max)
  m.max = max
  put_limit(m)
  local capacity = declared_capacity(g)
  if capacity == g.capacity then return end
  set_capacity(g, capacity)
  next_generation(g)
end

return {
  read_level = read_level, blank_group = blank_group, create_group = create_group, put_limit = put_limit, put_times = put_times,
  put_rank = put_rank, put_holder = put_holder, holder_of = holder_of, next_generation = next_generation, changed = membership_changed,
  recount = recount, count_in = count_in, level_to_resume = level_to_resume, remove = remove_member, remove_all = remove_all,
  prove_alive = prove_alive, change_max = change_max, limit_changed = limit_changed, capacity_of = capacity_of,
}
