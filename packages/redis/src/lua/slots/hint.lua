-- Hints for single members of a semaphore (R30, R31), each on a channel of the member. Its name is a hash of the
-- group's secret and the member's incarnation, so that nobody can guess it. A message is the text of the hint and a
-- hash of it with both: an offer counts (R30), so it must come from a script, and not from one who has seen the
-- channel's name. See hint.lua.

-- O(hints). Where the key cannot be read, or the user may not publish, the hints are lost and not what they are about.
local function hint_members(channel)
  local secret = redis.pcall('HGET', string.sub(ROWS, 1, -#'rows' - 1) .. 'hints', 'secret')
  if type(secret) ~= 'string' then return end
  for _, one in ipairs(slots.hints) do
    local of_member = secret .. ' ' .. one.incarnation
    redis.pcall('PUBLISH', channel .. ':' .. redis.sha1hex(of_member), one.text .. ' ' .. redis.sha1hex(of_member .. ' ' .. one.text))
  end
end
