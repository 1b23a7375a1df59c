-- The share ledger, ported function by function from @dt/core (ledger.ts, aggregates.ts, entitlement.ts, freed.ts
-- and group-clock.ts of its folder ledger): the same rules R1..R20 of coordination-store.ts, the same arithmetic on
-- doubles, in the same order. Part 7 of every script of a group.
--
-- Cost: one group row, the caller's row, one look-up for stale members; everything else only when the membership
-- changes.

-- The part of the stale age that a quiet stretch of any length counts as silence (R2).
local QUIET_PART = 0.25

-- The most that a member may be ahead of the server's clock (R2).
local LONGEST_LEAD_MS = 86400000

-- The part of what a member has observed that counts.
local function credible(observed_ms)
  return math.min(observed_ms, clock_ms + LONGEST_LEAD_MS)
end

-- Advances the group's clock to the server's (R2); returns the group's time. The server's clock may go back: the offset
-- makes up for it. A quiet stretch longer than quiet_limit_ms counts as that much silence.
local function advance_clock(g, observed_ms)
  local floor_ms = math.max(g.last_ms, credible(observed_ms))
  local shown_ms = math.max(g.last_ms, clock_ms + g.offset_ms)
  if clock_ms + g.offset_ms < floor_ms then g.offset_ms = floor_ms - clock_ms end
  -- The sum may be rounded to less than the floor.
  local now_ms = math.max(floor_ms, clock_ms + g.offset_ms)
  -- What a caller has observed corrects the time; it is no time that passed.
  g.lapsed_ms = g.lapsed_ms + (now_ms - shown_ms)
  local quiet_ms = shown_ms - g.last_ms
  if quiet_ms > g.quiet_limit_ms then g.lapsed_ms = g.lapsed_ms + (quiet_ms - g.quiet_limit_ms) end
  g.last_ms = now_ms
  return now_ms
end

-- The time that counts for stale ages and learning: group time without what lapsed in quiet stretches and corrections.
local function liveness_time(g)
  return g.last_ms - g.lapsed_ms
end

-- True while nobody is raised, and there is no agreement (R8).
local function is_learning(g)
  return liveness_time(g) < g.learn_until_ms
end

-- How a capacity is divided: what each member may hold without agreement, and with it (a token of the remainder).
local function due_of(g)
  return math.floor(g.capacity / g.pool_size), math.ceil(g.capacity / g.pool_size)
end

-- The clock error that counts (R6).
local function group_clock_error(g)
  return math.max(g.clock_error_ms, g.ahead_until_ms - g.last_ms)
end

-- The newest epoch that any member may have begun.
local function newest_epoch(g)
  return math.floor((g.last_ms + group_clock_error(g)) / g.interval_ms)
end

-- Takes all tokens for used in the newest epoch (R20): where nobody knows better, and where the capacity has grown. A
-- group that learns does so at the end, for what was used by then.
local function spend_all(g)
  if is_learning(g) then return end
  g.freed_epoch, g.spent = math.max(g.freed_epoch or 0, newest_epoch(g)), MOST_TOKENS
end

-- While a group learns, nobody knows what was used. What it did not know, it takes for used once it has learned.
local function settle(g)
  if is_learning(g) then
    g.freed_epoch = nil
  elseif not g.freed_epoch then
    spend_all(g)
  end
end

-- A member gives up tokens and goes on with so many. The first that it used in this epoch were those that it keeps; the
-- rest of what it used is spent. Without a word of its use everything that it gives up is, in the newest epoch (R20).
local function free(g, tokens, kept, use)
  g.held = g.held - tokens
  if not g.freed_epoch then return end
  local epoch, spent = newest_epoch(g), tokens
  if use then epoch, spent = math.min(use.epoch, epoch), math.min(tokens, math.max(0, use.used - kept)) end
  if epoch < g.freed_epoch then return end
  if epoch > g.freed_epoch then g.freed_epoch, g.spent = epoch, 0 end
  g.spent = math.min(g.spent + spent, MOST_TOKENS)
end

-- The free tokens that nobody has used in the epoch in which they became free.
local function unspent(g)
  return g.freed_epoch and math.max(0, g.capacity - g.held - g.spent) or 0
end

-- What a script was told of a member's use (R20), or nil.
local function use_of(epoch, used)
  return epoch ~= '' and { epoch = tonumber(epoch), used = tonumber(used) } or nil
end

-- What a member may use, and the first epoch in which it may use all of it (R19, R20).
local function entitlement_of(g, m)
  local sure = due_of(g)
  return math.min(m.held, sure), (g.freed_epoch or newest_epoch(g)) + 1
end

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

-- After members were removed.
local function membership_changed(g)
  set_capacity(g, smallest_max())
  declare_times(g, extremes(g.pool_size))
  next_generation(g)
end

-- Sets the aggregates right before a change of membership counts on them (R18). A number of members that is wrong is
-- found before: load_group.
local function recount(g)
  local pool_size, held = count_members(g)
  if not pool_size then return end
  if pool_size ~= g.pool_size then damaged(field_of('group'), 'pool_size ' .. text(g.pool_size) .. ' beside ' .. text(pool_size) .. ' members') end
  -- What was used of tokens that were not on record is on none either.
  if held ~= g.held then spend_all(g) end
  g.held = held
end

-- Adds a newcomer to the aggregates.
local function count_in(g, m)
  local first = g.pool_size == 0
  local quiet_ms = m.stale_after_ms * QUIET_PART
  g.pool_size = g.pool_size + 1
  g.held = g.held + m.held
  g.capacity = first and m.max or math.min(g.capacity, m.max)
  g.quiet_limit_ms = first and quiet_ms or math.min(g.quiet_limit_ms, quiet_ms)
  g.longest_stale_ms = first and m.stale_after_ms or math.max(g.longest_stale_ms, m.stale_after_ms)
  g.clock_error_ms = first and m.clock_error_ms or math.max(g.clock_error_ms, m.clock_error_ms)
end

-- Refuses a group's row that cannot be right beside this member's (R18): O(1).
local function check_aggregates(g, m)
  if m.rank >= g.pool_size or m.held > g.held or m.generation > g.generation or g.adopted > g.pool_size or g.capacity < 1 or g.capacity > m.max then
    damaged(field_of('group'), 'what cannot be beside the row of member ' .. m.incarnation)
  end
end

local function capacity_changed(g)
  local capacity = smallest_max()
  if capacity == g.capacity then return end
  set_capacity(g, capacity)
  next_generation(g)
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

-- False when a member is fenced. A newcomer becomes the holder of its id by its first sync that names the generation of
-- its registration or a later one, so that it has read an answer to it; the holder so far is then fenced (R3).
local function takes_part(g, m, generation)
  if m.standing ~= 'newcomer' then return m.standing == 'holder' end
  -- A late message of a process that died: it was sent before the registration that arrived, late as well.
  if generation < math.abs(m.joined) then return true end
  local holder = holder_of(m.id)
  if holder and (m.joined < 0 or holder.joined > m.joined) then
    m.standing = 'fenced'
    put_member(m)
    return false
  end
  if holder then
    holder.standing = 'fenced'
    put_member(holder)
    remember(g, holder)
  end
  put_holder(m)
  return true
end

-- Takes a member out; the one with the last rank moves into the vacant rank, so that ranks stay dense (R10). Nothing is
-- known of the use of one that did not say farewell.
local function remove_member(g, m, use)
  local last = member_at_rank(g.pool_size - 1)
  delete_member(m, g.pool_size - 1)
  if last.incarnation ~= m.incarnation then put_rank(last, m.rank) end
  g.pool_size = g.pool_size - 1
  g.ahead_until_ms = math.max(g.ahead_until_ms, g.last_ms + m.clock_error_ms)
  free(g, m.held, 0, use)
  remember(g, m)
end

-- Removes stale members, never the caller (R4).
local function remove_stale(g, caller)
  local removed = false
  for _, incarnation in ipairs(expired(liveness_time(g))) do
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

-- Records that a member has adopted the current generation, once, if it names it and holds no more than fair (R9). True
-- when it now has.
local function adopt(g, m, generation, pool_size)
  if generation ~= g.generation or m.generation == generation then return false end
  if m.held > due_of(g) then return false end
  m.generation = generation
  m.pool_size = pool_size
  g.adopted = g.adopted + 1
  g.largest_pool_size = math.max(g.largest_pool_size, pool_size)
  return true
end

local function raise(g, m, tokens)
  if tokens <= 0 then return end
  m.held = m.held + tokens
  g.held = g.held + tokens
end

-- Raises what the member holds as far as the rules allow (R7, R8, R9, R20), and answers with a view.
local function answer(g, m, resume_level)
  local sure, most = due_of(g)
  local learning = is_learning(g)
  local agree = not learning and g.adopted == g.pool_size
  local early = math.min(unspent(g), math.max(0, sure - m.held))
  if agree then
    g.largest_pool_size = g.pool_size
    raise(g, m, most - m.held)
  elseif not learning and m.held < sure then
    raise(g, m, math.min(g.capacity - g.held, sure - m.held))
  end
  put_member(m)
  local entitled, from_epoch = entitlement_of(g, m)
  return {
    agree and 'agree' or 'disagree', text(g.last_ms), text(g.generation), text(g.pool_size), text(g.largest_pool_size), text(m.rank),
    text(m.held), text(entitled), text(g.capacity), text(g.last_ms - g.created_at_ms), learning and '1' or '0',
    resume_level and text(resume_level) or '', text(group_clock_error(g)), text(from_epoch), text(early),
  }
end

-- Heartbeat, capacity, lowering and adoption (R4, R6, R7, R9), unless the request is a repeat (R11); then the answer.
local function accept_report(g, m, report, resume_level)
  if report.seq > m.seq then
    m.seq = report.seq
    m.level = report.level
    m.expires_at_ms = liveness_time(g) + m.stale_after_ms
    if report.max ~= m.max then
      m.max = report.max
      put_limit(m)
      capacity_changed(g)
    end
    if report.held < m.held then
      free(g, m.held - report.held, report.held, report.use)
      m.held = report.held
    end
    g.largest_pool_size = math.max(g.largest_pool_size, report.pool_size)
    -- The split before may have been in use in its newest epoch: the next one starts later.
    if adopt(g, m, report.generation, report.pool_size) then free(g, 0, report.held, report.use) end
  end
  return answer(g, m, resume_level)
end
