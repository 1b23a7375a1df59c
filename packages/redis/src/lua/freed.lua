-- Which free tokens may be used in an epoch that runs already (R20), ported from ledger/freed.ts of @dt/core. Cost:
-- none.

local MOST_TOKENS = 1e12

-- The newest epoch that any member may have begun.
local function newest_epoch(g)
  return math.floor((g.last_ms + group_clock_error(g)) / g.interval_ms)
end

-- Takes all tokens for used in the newest epoch (R20): where nobody knows better, and where the capacity has grown. A
-- group that learns does so at the end, for what was used by then.
local function spend_all(g)
  if is_learning(g) then return end
  g.freed_epoch, g.spent = math.max(g.freed_epoch or 0, newest_epoch(g)), MOST_TOKENS
end

-- While a group learns, nobody knows what was used. What it did not know, it takes for used once it has learned.
local function settle(g)
  if is_learning(g) then
    g.freed_epoch = false
  elseif not g.freed_epoch then
    spend_all(g)
  end
end

-- A member gives up tokens and goes on with so many. The first that it used in this epoch were those that it keeps; the
-- rest of what it used is spent. Without a word of its use everything that it gives up is, in the newest epoch (R20).
local function free(g, tokens, kept, use)
  g.held = g.held - tokens
  if not g.freed_epoch then return end
  local epoch, spent = newest_epoch(g), tokens
  if use then epoch, spent = math.min(use.epoch, epoch), math.min(tokens, math.max(0, use.used - kept)) end
  if epoch < g.freed_epoch then return end
  if epoch > g.freed_epoch then g.freed_epoch, g.spent = epoch, 0 end
  g.spent = math.min(g.spent + spent, MOST_TOKENS)
end

-- The free tokens that nobody has used in the epoch in which they became free.
local function unspent(g)
  return g.freed_epoch and math.max(0, g.capacity - g.held - g.spent) or 0
end

-- What a script was told of a member's use (R20), or nil.
local function use_of(epoch, used)
  return epoch ~= '' and { epoch = tonumber(epoch), used = tonumber(used) } or nil
end
