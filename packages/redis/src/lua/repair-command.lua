-- repair: checks every row of a group and makes good what can be; with a reset forgets the members.
-- KEYS  see table.lua
-- ARGV  1 channel, 2 reset '1' | '0'
-- Reply a list of texts: 'repaired', members that are left, whether they were forgotten '1' | '0', then a sentence for
--       each thing that was wrong; or see healing
-- Cost  O(members + remembered levels)
return healing(function()
  local found, members_left, was_reset = repair(ARGV[2] == '1', ARGV[1])
  return { 'repaired', text(members_left), was_reset and '1' or '0', unpack(found, 1, math.min(#found, CHUNK)) }
end)
