-- How a capacity is divided, ported from ledger/entitlement.ts of @dt/core. Part 5 of every script of a group. Cost:
-- none.

-- What each member may hold without agreement, and with it (a token of the remainder).
local function due_of(capacity, pool_size)
  return math.floor(capacity / pool_size), math.ceil(capacity / pool_size)
end
