-- A group's clock, ported from ledger/group-clock.ts of @dt/core: the same arithmetic on doubles, in the same order.
-- Cost: none.

-- The part of the stale age that a quiet stretch of any length counts as silence (R2).
local QUIET_PART = 0.25

-- The most that a member may be ahead of the server's clock (R2).
local LONGEST_LEAD_MS = 86400000

-- The part of what a member has observed that counts.
local function credible(observed_ms)
  return math.min(observed_ms, clock_ms + LONGEST_LEAD_MS)
end

-- Advances the group's clock to the server's (R2); returns the group's time. The server's clock may go back: the offset
-- makes up for it. A quiet stretch longer than quiet_limit_ms counts as that much silence.
local function advance_clock(g, observed_ms)
  local floor_ms = math.max(g.last_ms, credible(observed_ms))
  local shown_ms = math.max(g.last_ms, clock_ms + g.offset_ms)
  if clock_ms + g.offset_ms < floor_ms then g.offset_ms = floor_ms - clock_ms end
  -- The sum may be rounded to less than the floor.
  local now_ms = math.max(floor_ms, clock_ms + g.offset_ms)
  -- What a caller has observed corrects the time; it is no time that passed.
  g.lapsed_ms = g.lapsed_ms + (now_ms - shown_ms)
  local quiet_ms = shown_ms - g.last_ms
  if quiet_ms > g.quiet_limit_ms then g.lapsed_ms = g.lapsed_ms + (quiet_ms - g.quiet_limit_ms) end
  g.last_ms = now_ms
  return now_ms
end

-- The time that counts for stale ages and learning: group time without what lapsed in quiet stretches and corrections.
local function liveness_time(g)
  return g.last_ms - g.lapsed_ms
end

-- True while nobody is raised, and there is no agreement (R8).
local function is_learning(g)
  return liveness_time(g) < g.learn_until_ms
end

-- The clock error that counts (R6).
local function group_clock_error(g)
  return math.max(g.clock_error_ms, g.ahead_until_ms - g.last_ms)
end
