-- The share ledger, ported function by function from @dt/core (ledger.ts, answer.ts and entitlement.ts of its folder
-- ledger): the same rules R1..R27, R35 and R36 of coordination-store.ts, the same arithmetic on doubles, in the same
-- order.
--
-- Cost: one group row, the caller's row, one look-up for stale members; everything else only when the membership
-- changes: see membership.lua.

-- What the group's limit is for a request with `stored` (R36): the record's or, where none counts, the code's; false
-- for another request. It is read before anything is changed, so that a damaged record refuses the request as a whole
-- (L6).
local function limit_for(max)
  if not LIMIT then return false end
  local revision, json = limits().state(LIMIT)
  return { revision = revision, max = json and limits().values('group', json).max or max }
end

-- Takes in the limit of a request with `stored`: true where it is of another state than the copy.
local function take_limit(g, limit)
  if not limit or g.limit and g.limit.revision == limit.revision then return false end
  g.limit = limit
  return true
end

-- Refuses a group's row that cannot be right beside this member's (R18): O(1).
local function check_aggregates(g, m)
  if m.rank >= g.member_count or m.held > g.held or m.generation > g.generation or g.adopted > g.member_count or g.capacity < 1 or g.capacity > limit_of(g, m) then
    damaged(field_of('group'), 'what cannot be beside the row of member ' .. m.incarnation)
  end
end

-- False when a member is fenced (R3).
local function takes_part(g, m, generation)
  if m.standing == 'newcomer' then return membership().prove_alive(g, m, generation) end
  return m.standing == 'holder'
end

-- Removes stale members, never the caller (R4). Before the first member's time is over, as it was found once, nobody is
-- stale: heartbeats only make it later. No member has longer than the longest stale age: a time that says so is wrong.
local function remove_stale(g, caller)
  local now_ms, earliest_ms = liveness_time(g), g.earliest_ms
  if earliest_ms and now_ms <= earliest_ms - 1 and earliest_ms < now_ms + g.longest_stale_ms + 1 then return end
  local stale, more = expired(now_ms)
  if stale[1] then membership().remove_all(g, stale, caller) end
  g.earliest_ms = more and now_ms or earliest(now_ms)
end

-- Records that a member has adopted the current generation, once, if it names it and holds no more than fair (R9). One
-- that shares by demand never does (R25). True when it now has.
local function adopt(g, m, generation, member_count)
  if generation ~= g.generation or m.generation == generation then return false end
  if m.want or m.held > fair_of(g.capacity, g.member_count) then return false end
  m.generation = generation
  m.member_count = member_count
  g.adopted = g.adopted + 1
  g.largest_member_count = math.max(g.largest_member_count, member_count)
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

-- Returns how many of the tokens it was raised by may be used an epoch earlier than the rest.
local function raise_evenly(g, m, learning, agree)
  local fair, most = fair_of(g.capacity, g.member_count)
  local early = math.min(unspent(g), math.max(0, fair - m.held))
  if agree then
    g.largest_member_count = g.member_count
    raise(g, m, most - m.held)
  elseif not learning and m.held < fair then
    raise(g, m, math.min(g.capacity - g.held, fair - m.held))
  end
  -- Beside members that share by demand it may have to wait until these give up what it is due.
  if g.wants[1] then demand().note_hunger(g, m.held, fair) end
  return early
end

-- A time as two whole numbers, milliseconds and what is beyond them in parts of 2^20: to write 17 digits costs a
-- server as much as half a command. A double above 2^33 has no smaller parts; of one that has, the first is a text.
local function exact(ms)
  local beyond = ms % 1 * 2^20
  if beyond % 1 == 0 and ms < 1e15 then return ms - ms % 1, beyond end
  return text(ms), 0
end

-- What a member may use, and the first epoch in which it may use all of it (R19, R20). One that shares by demand may
-- use all that it holds, unless more is held than there is (R24). One that shares evenly may use the even part; where
-- it takes turns, what it needs and the token of its turn.
local function entitlement_of(g, m)
  local entitled = m.held
  local over = g.held > g.capacity
  if over or not m.want then
    local part = not over and turns(g) and demand().part_of_even(g, m) or (fair_of(g.capacity, g.member_count))
    entitled = math.min(m.held, part)
  end
  return entitled, (g.freed_epoch or newest_epoch(g)) + 1
end

-- Raises what the member holds as far as the rules allow (R7, R8, R9, R20, R22), and answers with a view. The sync
-- interval is that of a member that shares by demand, otherwise nil; what waits is of a member of a semaphore.
local function answer(g, m, resume_level, sync_ms, waits)
  local learning = is_learning(g)
  local agree = not learning and g.adopted == g.member_count
  local early, w, of_slots = 0, nil, nil
  if waits then
    w, of_slots = slots.rules().answer(g, m, waits, sync_ms)
  elseif m.want and sync_ms then
    early, w = demand().raise(g, m, sync_ms)
  elseif not m.want and turns(g) then
    early = demand().raise(g, m, g.interval_ms)
  else
    early = raise_evenly(g, m, learning, agree)
  end
  put_member(m)
  local entitled, from_epoch = entitlement_of(g, m)
  local whole_ms, beyond = exact(g.last_ms)
  local age_ms, age_beyond = exact(g.last_ms - g.created_at_ms)
  local reply = {
    agree and 'agree' or 'disagree', whole_ms, beyond, g.generation, g.member_count, agree and g.member_count or g.largest_member_count, m.rank, m.held,
    entitled, g.capacity, age_ms, age_beyond, learning and 1 or 0, resume_level and text(resume_level) or '', number(group_clock_error(g)),
    from_epoch, early, number(math.max(0, g.paused_until_ms - g.last_ms)),
  }
  if w then
    reply[19], reply[20], reply[21], reply[22], reply[23], reply[24] = demand().view_of(g, m, w, sync_ms)
  end
  if of_slots then
    for i, value in ipairs(of_slots) do reply[24 + i] = number(value) end
  end
  return reply
end

-- No member is to begin a call for so long (R35), at most a day: a pause only ever grows.
local function pause(g, pause_ms)
  if not pause_ms or pause_ms <= 0 then return end
  g.paused_until_ms = math.max(g.paused_until_ms, g.last_ms + math.min(pause_ms, 86400000))
end

-- Heartbeat, capacity, lowering and adoption (R4, R6, R7, R9), unless the request is a repeat (R11); then the answer.
local function accept_report(g, m, report, resume_level)
  if report.seq > m.seq then
    m.seq = report.seq
    m.level = report.level
    m.activity = report.activity
    if m.want or report.want then demand().change_want(g, m, report.want) end
    m.expires_at_ms = liveness_time(g) + m.stale_after_ms
    local max, is_new = not report.limit and report.max, take_limit(g, report.limit)
    if is_new or max ~= m.max then membership().change_max(g, m, max) end
    if report.held < m.held then
      free(g, m.held - report.held, report.held, report.use)
      m.held = report.held
      if m.odd then demand().end_turn(g, m, report.sync_ms) end
    end
    if m.odd or m.rest_until_ms ~= 0 then demand().limit_even_turn(g, m, report.use) end
    g.largest_member_count = math.max(g.largest_member_count, report.member_count)
    -- The split before may have been in use in its newest epoch: the next one starts later.
    if adopt(g, m, report.generation, report.member_count) then free(g, 0, report.held, report.use) end
  end
  return answer(g, m, resume_level, report.sync_ms, report.waits)
end
