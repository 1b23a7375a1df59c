-- The server's clock. The first part of every script; the order of the others is in script/scripts.ts.
-- Output: clock_ms, the server's time in milliseconds; fractions are microseconds.
-- Cost: TIME, O(1).
local time = redis.call('TIME')
local clock_ms = time[1] * 1000 + time[2] / 1000
