-- Hints for single members of a semaphore (R30, R31), each a text on a channel of the member: its name has a hash of
-- the group's secret and the member's incarnation in it, so that nobody can guess it. See hint.lua.

-- O(hints). Where the key cannot be read, or the user may not publish, the hints are lost and not what they are about.
local function hint_members(key, channel, hints)
  local secret = redis.pcall('HGET', key, 'secret')
  if type(secret) ~= 'string' then return end
  for _, one in ipairs(hints) do
    redis.pcall('PUBLISH', channel .. ':' .. redis.sha1hex(secret .. ' ' .. one.incarnation), one.text)
  end
end
