-- register: a member joins, or claims its place again.
-- KEYS  see table.lua; one more of a request with `stored`
-- ARGV  1 channel, 2 incarnation, 3 id, 4 seq, 5 rejoin '1' | '0', 6 claim, 7 max, 8 interval, 9 stale age, 10
--       learning, 11 level or '', 12 resume within, 13 observed store time, 14 clock error, 15 want or '',
--       16 sync interval or ''; times in milliseconds; only of a semaphore: 17 slots that its callers wait for,
--       18 slots that the first of them waits for, 19 whether it took an offer '1' | '0'
-- Reply a list of texts and whole numbers: a view (see answer), { 'fenced', store time }, or { 'interval', the group's
--       interval }; or see healing
-- Cost  O(log n); O(removed * log n) more when members went stale, O(members) when they are counted; about 0.2 ms more
--       when the group is made (data_since)
local incarnation, id, rejoin = ARGV[2], ARGV[3], ARGV[5] == '1'
local seq, claim, max = tonumber(ARGV[4]), tonumber(ARGV[6]), tonumber(ARGV[7])
local interval_ms, stale_after_ms, learning_ms = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local level, resume_within_ms, observed_ms = tonumber(ARGV[11]) or false, tonumber(ARGV[12]), tonumber(ARGV[13])
local clock_error_ms, want, sync_ms = tonumber(ARGV[14]), tonumber(ARGV[15]) or false, tonumber(ARGV[16])
local waits = ARGV[17] and { waiting = tonumber(ARGV[17]), head = tonumber(ARGV[18]), took_offer = ARGV[19] == '1' }
local members = membership()
local limit

-- When every epoch is over in which a share that was lost can have been used. Such a share is valid for as long as the
-- group would learn; without learning nothing can be lost.
local function unlost_since(data_since_ms)
  return learning_ms > 0 and data_since_ms + learning_ms + interval_ms + 2 * clock_error_ms or data_since_ms
end

local function new_group()
  local now_ms = math.max(clock_ms, credible(observed_ms))
  local offset_ms = now_ms - clock_ms
  local data_since_ms = data().since(stale_after_ms)
  local g = members.blank_group(now_ms)
  g.interval_ms, g.offset_ms = interval_ms, offset_ms
  g.learn_from_ms = math.min(now_ms, data_since_ms + offset_ms)
  g.quiet_limit_ms, g.longest_stale_ms = stale_after_ms * QUIET_PART, stale_after_ms
  -- Nothing was used of a group that is new, once nobody can use what was lost.
  if unlost_since(data_since_ms) <= clock_ms then g.freed_epoch = 0 end
  return g
end

local function join(g, resume_level)
  members.recount(g)
  if take_limit(g, limit) then members.limit_changed(g) end
  local m = {
    id = id, incarnation = incarnation, seq = seq, generation = 0, member_count = 0, held = claim, max = not limit and max, level = level,
    stale_after_ms = stale_after_ms, clock_error_ms = clock_error_ms, resume_within_ms = resume_within_ms,
    expires_at_ms = liveness_time(g) + stale_after_ms, standing = 'newcomer', joined = 0, want = want and demand().on_grid(want),
    odd = false, gave_up_ms = 0, rest_until_ms = 0, activity = '',
  }
  members.put_rank(m, g.member_count)
  members.put_limit(m)
  members.put_times(m)
  members.count_in(g, m)
  -- Somebody of before may be ahead by as much as this one.
  settle(g)
  -- What it used beyond its claim, before its row was gone, is on no record.
  if rejoin then spend_all(g) end
  members.next_generation(g)
  m.joined = rejoin and -g.generation or g.generation
  adopt(g, m, g.generation, g.member_count)
  return answer(g, m, resume_level, sync_ms, waits)
end

return healing(function()
  limit = limit_for(max)
  local g = load_group(incarnation) or members.create_group(new_group())
  local now_ms = advance_clock(g, observed_ms)
  remove_stale(g, incarnation)
  local known = get_member(incarnation)
  if g.interval_ms ~= interval_ms and g.member_count > (known and 1 or 0) then
    commit(g, ARGV[1])
    return { 'interval', text(g.interval_ms) }
  end
  -- Epochs of another length have other numbers.
  if g.interval_ms ~= interval_ms then g.freed_epoch = false end
  g.interval_ms = interval_ms
  local learns_ms = g.repairs > 0 and math.max(learning_ms, stale_after_ms) or learning_ms
  g.learn_until_ms = math.max(g.learn_until_ms, g.learn_from_ms + learns_ms)
  -- A group that is forgotten, and made again, is new (R20): the epoch must be over in which tokens were used.
  g.keep_ms = math.max(g.keep_ms, KEEP_MS + 2 * stale_after_ms + resume_within_ms + interval_ms)
  local holder = members.holder_of(id)
  local reply
  if (known and known.standing == 'fenced') or (rejoin and holder and holder.incarnation ~= incarnation) then
    reply = { 'fenced', text(now_ms) }
    if slots then slots.rules().serve(g) end
  else
    local resume_level = members.level_to_resume(id, incarnation, holder, now_ms)
    if known then
      settle(g)
      check_aggregates(g, known)
      local report = {
        seq = seq, generation = 0, member_count = 0, held = claim, max = max, level = level, want = want, sync_ms = sync_ms, activity = '',
        waits = waits, limit = limit,
      }
      reply = accept_report(g, known, report, resume_level)
    else
      reply = join(g, resume_level)
    end
  end
  commit(g, ARGV[1])
  return reply
end)
