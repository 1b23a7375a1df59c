-- The steady state: nearly every sync of a group that shares evenly and agrees. Only in the script of sync, where it
-- comes after part 2. It follows no rule; it finds that there is nothing to decide: the row of the member and that of
-- the group are sound, nobody can be stale, and nothing has to be corrected, lowered or raised. Then a heartbeat and
-- the time are all that changes. Where anything is otherwise, an error included, it answers nothing, and sync runs as
-- if this part was not there. The other parts' functions are not even made where it answers, and what is small is
-- written out: to make them took more than a third of the time of a sync.
-- KEYS, ARGV, Reply  see sync.lua
-- Cost  3 commands inside the server, or 4 and O(log n)
local function steady()
  -- What one that shares by demand is told may be another thing in every sync.
  if ARGV[12] ~= '' then return nil end
  local call, pack, unpack_some, sub, ROWS, ARGV = redis.call, cmsgpack.pack, cmsgpack.unpack_limit, string.sub, KEYS[1], ARGV
  local incarnation = ARGV[2]
  local field = 'm:' .. incarnation
  local rows = call('HMGET', ROWS, 'group', field, 'freed', 'd:' .. incarnation)
  if not rows[2] or rows[4] then return nil end

  -- Each row is read in pieces that end where something will change. The rest is written as it is: to pack a row anew
  -- makes a string of every value. The number before each piece is where it ends.
  local group, member, freed = rows[1], rows[2], rows[3]
  local last_at, tag, generation, pool_size, held, adopted, capacity, largest_pool_size, interval_ms, created_at_ms, learn_from_ms,
    learn_until_ms = unpack_some(group, 11)
  local _, last_ms, offset_ms, lapsed_ms, quiet_limit_ms, longest_stale_ms, clock_error_ms, ahead_until_ms, repairs, keep_ms, kept_at_ms,
    g_more = unpack_some(group, 11, last_at)
  if tag ~= TAG or not is_group(generation, pool_size, held, adopted, capacity, largest_pool_size, interval_ms, created_at_ms, learn_from_ms,
    learn_until_ms, last_ms, offset_ms, lapsed_ms, quiet_limit_ms, longest_stale_ms, clock_error_ms, ahead_until_ms, repairs, keep_ms,
    kept_at_ms, g_more) then return nil end

  local seq_at, m_tag, id = unpack_some(member, 2)
  local seq_end, seq = unpack_some(member, 1, seq_at)
  local expires_at, rank, m_generation, m_pool_size, m_held, max, level, stale_after_ms, m_clock_error_ms, resume_within_ms =
    unpack_some(member, 9, seq_end)
  local expires_end, expires_at_ms = unpack_some(member, 1, expires_at)
  local _, standing, joined, m_more = unpack_some(member, 3, expires_end)
  if m_tag ~= TAG or not is_member(id, seq, rank, m_generation, m_pool_size, m_held, max, level, stale_after_ms, m_clock_error_ms,
    resume_within_ms, expires_at_ms, standing, joined, m_more) then return nil end
  if rank >= pool_size or m_held > held or capacity < 1 or capacity > max then return nil end

  local last_size, b_last_ms = unpack_some(freed, 1)
  local _, b_generation, b_held, b_adopted, freed_epoch, spent, earliest_ms, f_more = unpack_some(freed, 7, last_size)
  -- What a later version keeps there is not known to belong to what is written now: it is not carried over.
  if f_more ~= nil or b_last_ms ~= last_ms or b_generation ~= generation or b_held ~= held or b_adopted ~= adopted then return nil end
  if not (freed_epoch >= 0 and freed_epoch < 2^53 and freed_epoch % 1 == 0 and spent >= 0 and spent < 2^53 and spent % 1 == 0) then return nil end

  -- The clock goes on by itself (R2), the group has learned (R8), nobody is stale (R4), nobody's clock error counts
  -- that is gone (R6), and the keys live for half a day at least.
  local now_ms = clock_ms + offset_ms
  local liveness_ms = now_ms - lapsed_ms
  if now_ms < last_ms or now_ms - last_ms > quiet_limit_ms or now_ms < ARGV[9] + 0 or liveness_ms < learn_until_ms
    or not (liveness_ms <= earliest_ms - 1 and earliest_ms < liveness_ms + longest_stale_ms + 1) or ahead_until_ms > now_ms + clock_error_ms
    or clock_error_ms % 1 ~= 0 or clock_ms < kept_at_ms or clock_ms > kept_at_ms + 43200000 then return nil end

  -- Times of the view, as exact.lua has them; where they are no such numbers, they are not for here.
  local age_ms = now_ms - created_at_ms
  local beyond, age_beyond = now_ms % 1 * 2^20, age_ms % 1 * 2^20
  if beyond % 1 ~= 0 or age_beyond % 1 ~= 0 or now_ms >= 1e15 then return nil end

  -- All have adopted the generation (R9), and the holder of its id (R3) says something new (R11) that changes nothing
  -- that anybody holds (R6, R7).
  local sure, most = math.floor(capacity / pool_size), math.ceil(capacity / pool_size)
  local new_seq, new_level = ARGV[3] + 0, ARGV[8] ~= '' and ARGV[8] + 0
  if standing ~= 'holder' or m_generation ~= generation or adopted ~= pool_size or largest_pool_size ~= pool_size
    or new_seq <= seq or new_level ~= level or ARGV[5] + 0 > pool_size or ARGV[6] + 0 < m_held or m_held < most or ARGV[7] + 0 ~= max then return nil end

  -- Silent ones are moved to where their time is over exactly: at most GRID_MS before that, so that after half of it at
  -- least the member's next sync moves it on.
  local place_before_ms = place_of(expires_at_ms, stale_after_ms)
  expires_at_ms = liveness_ms + stale_after_ms
  local place_ms = place_of(expires_at_ms, stale_after_ms)
  -- One that is new in the sorted set was missing there: somebody deleted it. As a text, which is made
  -- faster than what the server makes of a number.
  if expires_at_ms < earliest_ms
    or place_ms ~= place_before_ms and call('ZADD', KEYS[2], string.format('%d', place_ms), incarnation) ~= 0 then return nil end
  -- The same number takes as many bytes in the group's row as in the one beside it.
  local now = pack(now_ms)
  call('HSET', ROWS,
    'a:' .. incarnation, ARGV[14],
    'group', sub(group, 1, last_at) .. now .. sub(group, last_at + last_size + 1),
    'freed', now .. sub(freed, last_size + 1),
    field, sub(member, 1, seq_at) .. pack(new_seq) .. sub(member, seq_end + 1, expires_at) .. pack(expires_at_ms) .. sub(member, expires_end + 1))
  return {
    'agree', now_ms - now_ms % 1, beyond, generation, pool_size, largest_pool_size, rank, m_held, sure, capacity, age_ms - age_ms % 1,
    age_beyond, 0, '', clock_error_ms, freed_epoch + 1, 0,
  }
end

local done, reply = pcall(steady)
if done and reply then return reply end
