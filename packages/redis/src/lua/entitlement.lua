-- What a member may use, and from when, ported from ledger/entitlement.ts of @dt/core. Part 13 of every script of a
-- group. Cost: none.

-- What a member may use, and the first epoch in which it may use all of it (R19, R20). One that shares by demand may
-- use all that it holds, unless more is held than there is (R24). One that shares evenly may use the even part; where
-- it takes turns, what it needs and the token of its turn.
local function entitlement_of(g, m)
  local entitled = m.held
  local over = g.held > g.capacity
  if over or not m.want then
    local due = not over and turns(g) and demand().due_to_even(g, m) or (due_of(g.capacity, g.pool_size))
    entitled = math.min(m.held, due)
  end
  return entitled, (g.freed_epoch or newest_epoch(g)) + 1
end
