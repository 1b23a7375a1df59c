-- The share ledger, ported function by function from @dt/core (ledger.ts and entitlement.ts of its folder ledger): the
-- same rules R1..R20 of coordination-store.ts, the same arithmetic on doubles, in the same order. Part 10 of every
-- script of a group.
--
-- Cost: one group row, the caller's row, one look-up for stale members; everything else only when the membership
-- changes: see membership.lua.

-- How a capacity is divided: what each member may hold without agreement, and with it (a token of the remainder).
local function due_of(g)
  return math.floor(g.capacity / g.pool_size), math.ceil(g.capacity / g.pool_size)
end

-- What a member may use, and the first epoch in which it may use all of it (R19, R20).
local function entitlement_of(g, m)
  local sure = due_of(g)
  return math.min(m.held, sure), (g.freed_epoch or newest_epoch(g)) + 1
end

-- Refuses a group's row that cannot be right beside this member's (R18): O(1).
local function check_aggregates(g, m)
  if m.rank >= g.pool_size or m.held > g.held or m.generation > g.generation or g.adopted > g.pool_size or g.capacity < 1 or g.capacity > m.max then
    damaged(field_of('group'), 'what cannot be beside the row of member ' .. m.incarnation)
  end
end

-- False when a member is fenced (R3).
local function takes_part(g, m, generation)
  if m.standing == 'newcomer' then return membership().prove_alive(g, m, generation) end
  return m.standing == 'holder'
end

-- Removes stale members, never the caller (R4).
local function remove_stale(g, caller)
  local stale = expired(liveness_time(g))
  if stale[1] then membership().remove_all(g, stale, caller) end
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

-- A number of a view: a whole one as it is, which is cheaper than text, up to where clients read it well.
local function number(value)
  return value % 1 == 0 and value < 1e15 and value or text(value)
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
    agree and 'agree' or 'disagree', text(g.last_ms), g.generation, g.pool_size, g.largest_pool_size, m.rank, m.held, entitled,
    g.capacity, number(g.last_ms - g.created_at_ms), learning and 1 or 0, resume_level and text(resume_level) or '',
    number(group_clock_error(g)), from_epoch, early,
  }
end

-- Heartbeat, capacity, lowering and adoption (R4, R6, R7, R9), unless the request is a repeat (R11); then the answer.
local function accept_report(g, m, report, resume_level)
  if report.seq > m.seq then
    m.seq = report.seq
    m.level = report.level
    m.expires_at_ms = liveness_time(g) + m.stale_after_ms
    if report.max ~= m.max then membership().change_max(g, m, report.max) end
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
