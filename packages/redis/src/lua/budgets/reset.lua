-- reset: forgets a budget whole, however damaged it is. Nothing happens when there is no such budget.
-- KEYS  see table.lua
-- Reply 'ok'
-- Cost  O(1); the server frees the memory by itself
redis.call('UNLINK', unpack(KEYS))
return 'ok'
