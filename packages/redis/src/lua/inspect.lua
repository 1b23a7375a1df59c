-- inspect: the whole ledger of a group, changing nothing.
-- KEYS  see table.lua
-- Reply a list: { generation, capacity, member count, adopted, held, interval, store time, group age, learning,
--       what is left of a pause, state and max of the copy of the limit record or '' }, then for each member { id,
--       incarnation, rank, generation, member count, held, max or '', level or '', silence, fenced, what it wants or
--       '', what it used or '', what is waited for or '' }, in any order; all texts; or { 'damaged' | 'newer', ... },
--       see healing
-- Cost  O(members + remembered levels)

-- The two numbers of what a member does, as texts; what cannot be right counts as nothing.
local function activity_of(m)
  local used, waiting = string.match(m.activity, '^(%d+) (%d+)$')
  if not used or tonumber(used) > 1e12 or tonumber(waiting) > 1e12 then return '', '' end
  return used, waiting
end

local function snapshot()
  local g = load_group('', true)
  if not g then return { { '0', '0', '0', '0', '0', '0', text(clock_ms), '0', '0', '0', '', '' } } end
  -- A quiet stretch up to now removes no member earlier, and all the same each of them was silent in it.
  local lapsed_ms = g.lapsed_ms
  local now_ms = advance_clock(g, 0)
  local reply = { {
    text(g.generation), text(g.capacity), text(g.member_count), text(g.adopted), text(g.held), text(g.interval_ms), text(now_ms),
    text(now_ms - g.created_at_ms), is_learning(g) and '1' or '0', text(math.max(0, g.paused_until_ms - now_ms)),
    g.limit and text(g.limit.revision) or '', g.limit and text(g.limit.max) or '',
  } }
  local rows = redis.call('HGETALL', ROWS)
  for i = 1, #rows, 2 do
    if string.sub(rows[i], 1, 2) == 'm:' then
      local m = unpack_member(string.sub(rows[i], 3), rows[i + 1])
      local silent_ms = math.max(0, now_ms - lapsed_ms - (m.expires_at_ms - m.stale_after_ms))
      reply[#reply + 1] = {
        m.id, m.incarnation, text(m.rank), text(m.generation), text(m.member_count), text(m.held), m.max and text(m.max) or '',
        m.level and text(m.level) or '', text(silent_ms), m.standing == 'fenced' and '1' or '0',
        m.want and text(m.want) or '', activity_of(m),
      }
    end
  end
  return reply
end

local done, reply = pcall(snapshot)
if not done and type(reply) == 'table' and reply.damaged then return { 'damaged', reply.damaged } end
-- Whatever else it is, healing tells it; nothing is repaired by looking.
return done and reply or healing(function() error(reply, 0) end)
