-- What a member may use, and from when, ported from ledger/entitlement.ts of @dt/core. Part 13 of every script of a
-- group. Cost: none.

-- What a member may use, and the first epoch in which it may use all of it (R19, R20). One that shares by demand may
-- use all that it holds, unless more is held than there is (R24).
local function entitlement_of(g, m)
  local entitled = m.held
  if not m.want or g.held > g.capacity then entitled = math.min(m.held, (due_of(g.capacity, g.pool_size))) end
  return entitled, (g.freed_epoch or newest_epoch(g)) + 1
end
