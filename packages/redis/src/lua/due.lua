-- How a capacity is divided, ported from ledger/entitlement.ts and water-level.ts of @dt/core. Cost: none.

-- What each member may hold without agreement, and with it (a token of the remainder).
local function due_of(capacity, pool_size)
  return math.floor(capacity / pool_size), math.ceil(capacity / pool_size)
end

-- True where members that share evenly take turns like the others, since their even part is 0 (R23).
local function turns(g)
  return g.capacity < g.pool_size and g.wants[1] ~= nil
end
