-- Stands in for clock.lua in tests: the time is in a key, so that the test says what time it is.
local clock_ms = tonumber(redis.call('GET', '{dt-test}:clock'))
