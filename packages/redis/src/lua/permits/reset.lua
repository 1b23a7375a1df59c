-- reset: forgets a key's permits but for its time and what comes within a minute; all of it when it is damaged. Nothing
-- happens when there is no such key.
-- KEYS  see table.lua
-- ARGV  1 channel, on which those who wait are told
-- Reply 'ok'
-- Cost  O(what the key has)
local row, damage = load_row('')
if row then
  reset(row)
elseif damage then
  redis.call('UNLINK', unpack(KEYS))
else
  return 'ok'
end
hint(ROWS .. ':hints', ARGV[1])
return 'ok'
