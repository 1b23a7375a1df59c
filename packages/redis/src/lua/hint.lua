-- Hints, of groups and of permits.
-- A hint is a message on a channel of which nobody can guess the name who may not read this key: a hash, <base>:hints,
-- with the field 'secret'. Who listens makes it (channel.lua); while there is none, nobody listens. No script that
-- gives hints names the key in KEYS: it is there at times when the others are not, and a Redis Cluster serves a script
-- in a slot that is being moved only where it finds all of its keys.

-- Tells whoever listens: O(1). Only a hint: where the key cannot be read, or the user may not publish, the hint is lost
-- and not what it tells of.
local function hint(key, channel, about)
  local secret = redis.pcall('HGET', key, 'secret')
  if type(secret) == 'string' then redis.pcall('PUBLISH', channel .. ':' .. secret, about or '') end
end
