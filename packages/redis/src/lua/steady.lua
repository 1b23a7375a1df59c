-- The steady state: nearly every sync of a group that shares evenly and agrees. Only in the script of sync, where it
-- comes after formats.lua. It follows no rule; it finds that there is nothing to decide: the row of the member and
-- that of the group are sound, nobody can be stale, and nothing has to be corrected, lowered or raised. Then a
-- heartbeat and the time are all that changes. Where anything is otherwise, an error included, it answers nothing,
-- and sync runs as if this part was not there. The other parts' functions are not even made where it answers, and
-- what is small is written out: to make them took more than a third of the time of a sync.
-- KEYS, ARGV, Reply  see sync.lua
-- Cost  3 commands inside the server, or 4 and O(log n); one more with `stored`
local function steady()
  -- What one that shares by demand is told may be another thing in every sync; and this one may ask for a pause.
  if ARGV[12] ~= '' or ARGV[15] ~= '' then return nil end
  local call, pack, unpack_some, sub, ROWS, ARGV = redis.call, cmsgpack.pack, cmsgpack.unpack_limit, string.sub, KEYS[1], ARGV
  local incarnation = ARGV[2]
  local field = 'm:' .. incarnation
  local rows = call('HMGET', ROWS, 'group', field)
  local group, member = rows[1], rows[2]
  if not member or sub(group, 1, HEAD_END) ~= HEAD or sub(member, 1, HEAD_END) ~= HEAD then return nil end

  -- What a sync changes comes first in each row. The rest is written as it is: to pack a row anew makes a string of
  -- every value. The number before each piece is where it ends.
  local last_end, last_ms = unpack_some(group, 1, HEAD_END)
  local _, generation, member_count, held, adopted, capacity, largest_member_count, interval_ms, created_at_ms, learn_from_ms, learn_until_ms,
    offset_ms, lapsed_ms, quiet_limit_ms, longest_stale_ms, clock_error_ms, ahead_until_ms, repairs, keep_ms, kept_at_ms, freed_epoch, spent,
    hungry_ms, wants, earliest_ms, paused_until_ms, stored_revision, stored_max, g_more = unpack_some(group, 28, last_end)
  if not is_group(last_ms, generation, member_count, held, adopted, capacity, largest_member_count, interval_ms, created_at_ms, learn_from_ms,
    learn_until_ms, offset_ms, lapsed_ms, quiet_limit_ms, longest_stale_ms, clock_error_ms, ahead_until_ms, repairs, keep_ms, kept_at_ms,
    freed_epoch, spent, hungry_ms, wants, earliest_ms, paused_until_ms, stored_revision, stored_max, g_more) then return nil end

  local first_end, seq, expires_at_ms, activity = unpack_some(member, 3, HEAD_END)
  local _, id, rank, m_generation, m_member_count, m_held, max, level, stale_after_ms, m_clock_error_ms, resume_within_ms, standing, joined, want,
    odd, gave_up_ms, rest_until_ms, m_more = unpack_some(member, 17, first_end)
  if not is_member(seq, expires_at_ms, activity, id, rank, m_generation, m_member_count, m_held, max, level, stale_after_ms, m_clock_error_ms,
    resume_within_ms, standing, joined, want, odd, gave_up_ms, rest_until_ms, m_more) then return nil end
  if rank >= member_count or m_held > held or capacity < 1 or capacity > (max or stored_max) then return nil end

  -- The limit is the one of before: what it declares or, with `stored`, the copy (R36).
  if KEYS[7] then
    local record = call('HMGET', KEYS[7], 'revision', 'values', 'until')
    local revision = (record[1] or 0) + 0
    if record[1] and (not record[2] or record[3] and clock_ms >= record[3] + 0) then revision = -revision end
    local is_known = revision <= 0 or string.match(record[2], '^{"max":(%d+)}$') + 0 == stored_max
    if max or revision ~= stored_revision or not is_known or (record[2] or record[3]) and not record[1] then return nil end
  elseif ARGV[7] + 0 ~= max then
    return nil
  end

  -- What was freed is known (R20), and nobody shares by demand or takes turns (R21, R23).
  if not freed_epoch or not earliest_ms or wants ~= '' or want or odd or rest_until_ms ~= 0 then return nil end

  -- The clock goes on by itself (R2), the group has learned (R8), nobody is stale (R4), nobody's clock error counts
  -- that is gone (R6), the keys live for half a day at least, and there is no pause (R35).
  local now_ms = clock_ms + offset_ms
  local liveness_ms = now_ms - lapsed_ms
  if now_ms < last_ms or now_ms - last_ms > quiet_limit_ms or now_ms < ARGV[9] + 0 or liveness_ms < learn_until_ms
    or not (liveness_ms <= earliest_ms - 1 and earliest_ms < liveness_ms + longest_stale_ms + 1) or ahead_until_ms > now_ms + clock_error_ms
    or clock_error_ms % 1 ~= 0 or clock_ms < kept_at_ms or clock_ms > kept_at_ms + 43200000
    or paused_until_ms > now_ms then return nil end

  -- Times of the view, as exact() in ledger.lua has them; where they are no such numbers, they are not for here.
  local age_ms = now_ms - created_at_ms
  local beyond, age_beyond = now_ms % 1 * 2^20, age_ms % 1 * 2^20
  if beyond % 1 ~= 0 or age_beyond % 1 ~= 0 or now_ms >= 1e15 then return nil end

  -- All have adopted the generation (R9), and the holder of its id (R3) says something new (R11) that changes nothing
  -- that anybody holds (R6, R7).
  local fair, most = math.floor(capacity / member_count), math.ceil(capacity / member_count)
  local new_seq, new_level = ARGV[3] + 0, ARGV[8] ~= '' and ARGV[8] + 0
  if standing ~= 'holder' or m_generation ~= generation or adopted ~= member_count or largest_member_count ~= member_count
    or new_seq <= seq or new_level ~= level or ARGV[5] + 0 > member_count or ARGV[6] + 0 < m_held or m_held < most then return nil end

  -- Silent ones are moved to where their time is over exactly: at most GRID_MS before that, so that after half of it at
  -- least the member's next sync moves it on.
  local place_before_ms = place_of(expires_at_ms, stale_after_ms)
  expires_at_ms = liveness_ms + stale_after_ms
  local place_ms = place_of(expires_at_ms, stale_after_ms)
  -- One that is new in the sorted set was missing there: somebody deleted it. As a text, which is made
  -- faster than what the server makes of a number.
  if expires_at_ms < earliest_ms
    or place_ms ~= place_before_ms and call('ZADD', KEYS[2], string.format('%d', place_ms), incarnation) ~= 0 then return nil end
  call('HSET', ROWS, 'group', HEAD .. pack(now_ms) .. sub(group, last_end + 1),
    field, HEAD .. pack(new_seq, expires_at_ms, ARGV[14]) .. sub(member, first_end + 1))
  return {
    'agree', now_ms - now_ms % 1, beyond, generation, member_count, largest_member_count, rank, m_held, fair, capacity, age_ms - age_ms % 1,
    age_beyond, 0, '', clock_error_ms, freed_epoch + 1, 0, 0,
  }
end

local done, reply = pcall(steady)
if done and reply then return reply end
