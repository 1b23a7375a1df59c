-- How a capacity is divided, ported from ledger/entitlement.ts and water-level.ts of @dt/core. Cost: none.

-- What each member may hold without agreement, and with it (a token of the remainder).
local function fair_of(capacity, member_count)
  return math.floor(capacity / member_count), math.ceil(capacity / member_count)
end

-- True where members that share evenly take turns like the others, since their fair part is 0 (R23).
local function turns(g)
  return g.capacity < g.member_count and g.wants[1] ~= nil
end
