-- deregister: a member leaves; nothing happens when it is not there.
-- KEYS  see table.lua
-- ARGV  1 channel, 2 incarnation, 3 last level or '', 4 observed store time, 5 newest epoch begun or '', 6 tokens used
--       in it or ''
-- Reply 'ok'; or see healing
-- Cost  O(log n); O(members) more when they are counted, see count_members. Of a semaphore it is run twice, since no
--       farewell tells what group it is of: see load_group
return healing(function()
  local g = load_group(ARGV[2])
  if not g then return 'ok' end
  advance_clock(g, tonumber(ARGV[4]))
  settle(g)
  local m = get_member(ARGV[2])
  if m then
    local members = membership()
    members.recount(g)
    m.level = tonumber(ARGV[3]) or m.level
    members.remove(g, m, use_of(ARGV[5], ARGV[6]))
    members.changed(g)
    if slots then slots.rules().serve(g) end
  end
  commit(g, ARGV[1])
  return 'ok'
end)
