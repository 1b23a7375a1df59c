-- Numbers of the replies of take.lua. Cost: none.
local SCALE = 4096

-- A double in parts of 1/4096, or as a list of its mantissa, in parts of 2^-53, and its exponent: to write 17 digits
-- costs a server as much as a command.
local function number(value)
  local scaled = value * SCALE
  if scaled % 1 == 0 and scaled < 2^53 and scaled > -2^53 then return scaled end
  local mantissa, exponent = math.frexp(value)
  return { mantissa * 2^53, exponent }
end

-- A point in time: in the same parts from the server's time on, or as such a list by itself.
local function point(ms)
  local from_ms = ms - clock_ms
  local scaled = from_ms * SCALE
  if scaled % 1 == 0 and scaled < 2^53 and scaled > -2^53 and clock_ms + from_ms == ms then return scaled end
  local mantissa, exponent = math.frexp(ms)
  return { mantissa * 2^53, exponent }
end
