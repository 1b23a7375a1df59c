-- channel: the secret in the name of a channel of hints, see hint.lua. It is kept for as long as somebody listens, who
-- asks again from time to time.
-- KEYS  1 hints
-- ARGV  1 what the name begins with, 2 what the secret is to be if there is none, 3 for how long it is kept, in
--       milliseconds
-- Reply the secret
-- Cost  O(1), 4 commands inside the server; about 0.15 ms more when the secret is made (data_since)
local HINTS = KEYS[1]
local secret = redis.pcall('HGET', HINTS, 'secret')
local damaged = secret and (type(secret) ~= 'string' or not string.find(secret, '^%w+$'))
if damaged or not secret then
  secret = ARGV[2]
  -- The first group of a server that is empty need not learn for long: its marker is to be there before this key is.
  local marker = data()
  marker.since()
  if redis.pcall('ZCOUNT', marker.key, '(0', '+inf') == 0 then redis.call('PEXPIREAT', marker.key, string.format('%.0f', clock_ms + marker.gather_ms)) end
  if damaged then redis.call('UNLINK', HINTS) end
  redis.call('HSET', HINTS, 'secret', secret)
end
redis.call('PEXPIREAT', HINTS, string.format('%.0f', clock_ms + ARGV[3]))
return secret
