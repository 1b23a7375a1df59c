-- The server's clock. Part 1 of every script.
-- Output: clock_ms, the server's time in milliseconds; fractions are microseconds.
-- Cost: TIME, O(1).
local time = redis.call('TIME')
local clock_ms = time[1] * 1000 + time[2] / 1000
