-- read: a limit record.
-- KEYS  1 the record: see head.lua
-- Reply a list: the server's time, then what there is of the record: revision, values, until, history, each a text or
--       nothing; or only the time where there is no record; or 'damaged'
-- Cost  O(1)
local record = redis.pcall('HMGET', KEYS[1], 'revision', 'values', 'until', 'history')
if record.err and string.find(record.err, 'WRONGTYPE', 1, true) then return { text(clock_ms), 'damaged' } end
if record.err then return record end
if redis.call('EXISTS', KEYS[1]) == 0 then return { text(clock_ms) } end
return { text(clock_ms), record[1], record[2], record[3], record[4] }
