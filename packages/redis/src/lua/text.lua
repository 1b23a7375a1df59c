-- Numbers of replies.
-- Cost: none.

-- Numbers travel as text: an integer reply would lose fractions, and RESP2 and RESP3 differ in doubles. 17 digits lose
-- nothing.
local function text(number)
  return string.format('%.17g', number)
end
