-- Times of views. Part 4 of every script of a group.
-- Cost: none.

-- A time as two whole numbers, milliseconds and what is beyond them in parts of 2^20: to write 17 digits costs a
-- server as much as half a command. A double above 2^33 has no smaller parts; of one that has, the first is a text.
local function exact(ms)
  local beyond = ms % 1 * 2^20
  if beyond % 1 == 0 and ms < 1e15 then return ms - ms % 1, beyond end
  return text(ms), 0
end
