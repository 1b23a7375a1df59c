-- The budget arithmetic, ported function by function from @dt/core (budgets/budgets.ts and stored-limit.ts): the same
-- rules B2..B9 and B13 of budget-ledger.ts, the same arithmetic on doubles, in the same order.
--
-- Cost: what the functions of window.lua cost, for each limit and for each settlement.

-- A turn in the pace so little ahead has come: sums of times are rounded.
local NOW_MS = 1 / 16
-- A call that waits for one limit takes its turn in the pace of another at its instant, at most so much later than now.
local LEAD_MS = 1000
-- The limit record of a request with `stored`.
local LIMIT = KEYS[3]
-- While a budget has stored limits nothing is reserved farther ahead, nor farther than its longest window.
local STORED_AHEAD_MS = 60000
-- No pause is longer.
local LONGEST_PAUSE_MS = 86400000
-- What makes a call wait: the place of a limit in the row, counted from 0, or one of these.
local NOTHING, PAUSE = -2, -1

-- Advances the budget's time to the server's (B2): it never goes back.
local function advance(row)
  if clock_ms + row.offset_ms < row.last_ms then row.offset_ms = row.last_ms - clock_ms end
  -- The sum may be rounded to less.
  row.last_ms = math.max(row.last_ms, clock_ms + row.offset_ms)
  return row.last_ms
end

-- The place of an element in a list, counted from 0, or -1.
local function index_of(list, element)
  for place, other in ipairs(list) do
    if other == element then return place - 1 end
  end
  return -1
end

-- Records a request's terms with the budget; false when its users have others (B9).
local function match_terms(row, request, idle_ms)
  local terms, former = request.terms, request.former_terms
  if terms == '' or (terms ~= row.terms and former ~= row.terms and terms == row.former_terms) then return true end
  local free = row.terms == '' or idle_ms > TERMS_HOLD_MS
  if not free and terms ~= row.terms and former ~= row.terms then return false end
  row.terms, row.former_terms = terms, former
  return true
end

-- What the limits are for a request with `stored` (B13, L4), or nil where the copy is of the record's state: the
-- record's numbers, and the code's of those that it does not name.
local function stored_limits(copy, limits_declared)
  local revision, json = limits().state(LIMIT)
  if copy and copy.revision == revision then return nil end
  local stored = { revision = revision, maxes = {} }
  for _, declared in ipairs(limits_declared) do stored.maxes[declared.name] = declared.max end
  for name, max in pairs(json and limits().values('budget', json) or {}) do stored.maxes[name] = max end
  return stored
end

-- With another max the pace keeps its units, and nothing has to come after the latest instant that is reserved.
local function rescale(row, before, after)
  local now_ms = row.last_ms
  for _, limit in ipairs(row.limits) do
    local old, max = before.maxes[limit.name], after.maxes[limit.name]
    if old and max and old ~= max then
      limit.latest_ms = math.min(limit.latest_ms, now_ms)
      for tier, ms in ipairs(limit.paces) do
        if ms > now_ms then limit.paces[tier] = now_ms + (ms - now_ms) * old / max end
      end
    end
  end
end

-- Takes in the limits of a request with `stored`. A copy that was not used for as long as terms bind is gone.
local function keep_copy(row, request, idle_ms, is_known)
  if idle_ms > TERMS_HOLD_MS then row.stored = nil end
  if not LIMIT or is_known then return end
  local before = row.stored
  local stored = stored_limits(before, request.limits)
  if not stored then return end
  row.stored = stored
  if before then rescale(row, before, stored) end
end

-- A limit as the copy makes it. Its burst is the same part of it.
local function in_force(row, declared)
  local set = row.stored and row.stored.maxes[declared.name]
  if not set then return declared end
  local max = LIMIT and set or math.min(declared.max, set)
  if max == declared.max then return declared end
  return { name = declared.name, max = max, window_ms = declared.window_ms, burst = declared.burst * max / declared.max }
end

-- How far ahead a budget may be reserved.
local function most_wait_ms(row, request)
  local most_ms = request.reserve.max_wait_ms
  if not row.stored then return most_ms end
  local longest_ms = 0
  for _, declared in ipairs(request.limits) do longest_ms = math.max(longest_ms, declared.window_ms) end
  return math.min(most_ms, STORED_AHEAD_MS, longest_ms)
end

-- A limit's row, as the request declares it; a new one where the budget has none of this name.
local function limit_of(row, declared, tiers)
  local limit
  for _, known in ipairs(row.limits) do
    if known.name == declared.name then limit = known end
  end
  if not limit then
    limit = {
      name = declared.name, max = declared.max, window_ms = declared.window_ms, latest_ms = 0, surplus = 0, variance = 0, learned_ms = 0,
      base = 0, paces = {}, slots = {}, units = {},
    }
    table.insert(row.limits, limit)
  end
  limit.max = declared.max
  resize(limit, declared.window_ms)
  while #limit.paces < tiers do table.insert(limit.paces, limit.paces[#limit.paces] or 0) end
  return limit
end

-- The even distance of units.
local function every_ms(limit, now_ms)
  return limit.window_ms / (limit.max - margin_of(limit, now_ms))
end

-- Charges what a call cost more than was reserved, or takes back what it cost less (B6).
local function correct(limit, lease, more, now_ms)
  if more == 0 then return end
  local place = place_of(limit, lease.at_ms)
  if not place and more < 0 then return end
  local units = more
  if more > 0 then units = math.min(more, math.max(0, 2 * limit.max - spent_of(limit))) end
  if place then limit.units[place] = math.max(0, limit.units[place] + units) else charge(limit, now_ms, units) end
  local by_ms = units * every_ms(limit, now_ms)
  for tier = lease.tier + 1, #limit.paces do
    local pace_ms = limit.paces[tier]
    limit.paces[tier] = math.max(math.min(pace_ms, now_ms), math.max(pace_ms, more > 0 and now_ms or 0) + by_ms)
  end
end

-- Settles one lease (B6).
local function settle(row, limits, lease, settlement)
  for place, limit in ipairs(row.limits) do
    local reserved = lease.costs[place] or 0
    local spent = settlement.costs[index_of(limits, limit) + 1] or reserved
    correct(limit, lease, spent - reserved, row.last_ms)
    if settlement.measured then learn(limit, reserved - spent, row.last_ms - lease.at_ms, row.last_ms) end
  end
end

-- Lowers what is left of a limit to what the callee states (B7).
local function state(limit, rest, reset_ms, now_ms)
  local over = limit.max - spent_of(limit) - rest
  if over > 0 then charge(limit, now_ms + math.min(reset_ms, limit.window_ms) - limit.window_ms, over) end
end

-- What a cost asks of one limit: its turn in the pace (0 where that has come), and what a window may hold with it (B4).
local function ask_of(limit, burst, cost, tier, keep, now_ms)
  local turn_ms = limit.paces[tier + 1] + (math.min(cost, burst) - burst) * every_ms(limit, now_ms)
  if turn_ms - now_ms < NOW_MS then turn_ms = 0 end
  local tier_max = limit.max * (1 - keep)
  return {
    limit = limit, cost = cost, turn_ms = turn_ms, tier_max = tier_max,
    most = math.max(tier_max - margin_of(limit, now_ms), math.min(cost, tier_max)),
  }
end

-- True where each limit has room at an instant.
local function have_room(asks, at_ms)
  for _, ask in ipairs(asks) do
    if fullest_at(ask.limit, at_ms) + ask.cost > ask.most then return false end
  end
  return true
end

-- Charges a cost to a limit's window, and moves the pace of its tier and of those behind it.
local function take(limit, cost, tier, at_ms, now_ms)
  charge(limit, at_ms, cost)
  limit.latest_ms = math.max(limit.latest_ms, at_ms)
  local begin_ms = math.min(at_ms, now_ms + LEAD_MS)
  local taken_ms = cost * every_ms(limit, now_ms)
  for later = tier + 1, #limit.paces do limit.paces[later] = math.max(limit.paces[later], begin_ms) + taken_ms end
end

-- Reserves all of a cost, or nothing (B3, B4): the lease, and whether it was granted.
local function reserve(row, limits, request)
  local asked, now_ms = request.reserve, row.last_ms
  local due_ms, limited_by = now_ms, NOTHING
  if row.paused_until_ms > now_ms then due_ms, limited_by = row.paused_until_ms, PAUSE end
  local asks = {}
  for index, limit in ipairs(limits) do
    local cost, keep = asked.costs[index], request.keeps[asked.tier + 1]
    if cost > 0 then table.insert(asks, ask_of(limit, request.limits[index].burst, cost, asked.tier, keep, now_ms)) end
  end
  for _, ask in ipairs(asks) do
    if ask.turn_ms > due_ms then due_ms, limited_by = ask.turn_ms, index_of(row.limits, ask.limit) end
  end
  if not have_room(asks, due_ms) then
    for _, ask in ipairs(asks) do
      local room_ms = room_at(ask.limit, ask.cost, ask.most)
      if room_ms > due_ms then due_ms, limited_by = room_ms, index_of(row.limits, ask.limit) end
    end
  end
  -- A cost beyond what its tier may spend has to wait until the limit is raised (B13).
  local too_dear = false
  for i = #asks, 1, -1 do
    local ask = asks[i]
    if ask.cost > ask.tier_max then
      too_dear, due_ms, limited_by = true, now_ms + ask.limit.window_ms, index_of(row.limits, ask.limit)
    end
  end
  local at_ms = asked.force and now_ms or due_ms
  local lease = {
    at_ms = at_ms, tier = asked.tier, wait_ms = due_ms - now_ms, limited_by = limited_by, costs = {}, forget_at_ms = at_ms + asked.keep_ms,
  }
  if not asked.force and (too_dear or lease.wait_ms > most_wait_ms(row, request)) then return lease, false end
  for place, limit in ipairs(row.limits) do lease.costs[place] = asked.costs[index_of(limits, limit) + 1] or 0 end
  for index, limit in ipairs(limits) do
    if asked.costs[index] > 0 then take(limit, asked.costs[index], asked.tier, at_ms, now_ms) end
  end
  return lease, true
end

-- One text, since each element of a list costs both sides more than its digits do.
local function reply_to(row, limits, lease, granted)
  local limited_by = lease and lease.limited_by or NOTHING
  if limited_by >= 0 then limited_by = index_of(limits, row.limits[limited_by + 1]) end
  local numbers = {
    granted and '1' or '0', text(granted and lease.at_ms or 0), text(lease and lease.wait_ms or 0), tostring(limited_by),
    text(math.max(0, row.paused_until_ms - row.last_ms)), text(row.last_ms),
  }
  for _, limit in ipairs(limits) do table.insert(numbers, text(limit.max - spent_of(limit))) end
  if row.stored then
    for _, limit in ipairs(limits) do table.insert(numbers, text(limit.max)) end
  end
  return table.concat(numbers, ' ')
end

-- Settles, takes in what is stated and a pause, and reserves. `known` has leases by their ids, as they are stored.
local function spend(row, known, request)
  local used_ms = row.last_ms
  local now_ms = advance(row)
  local asked = request.reserve
  if asked and not match_terms(row, request, now_ms - used_ms) then return 'terms ' .. row.terms end
  local rows, removed = {}, {}
  forget_leases(now_ms)
  for id, lease in pairs(known) do
    if lease.forget_at_ms <= now_ms then known[id] = nil end
  end
  keep_copy(row, request, now_ms - used_ms, asked and known[asked.id] ~= nil)
  for index, declared in ipairs(request.limits) do
    request.limits[index] = in_force(row, declared)
    rows[index] = limit_of(row, request.limits[index], #request.keeps)
  end
  for _, limit in ipairs(row.limits) do prune(limit, now_ms) end
  for _, settlement in ipairs(request.settle) do
    local lease = known[settlement.id]
    if lease then
      known[settlement.id] = nil
      table.insert(removed, settlement.id)
      settle(row, rows, lease, settlement)
    end
  end
  for _, stated in ipairs(request.stated) do state(rows[stated.limit + 1], stated.rest, stated.reset_ms, now_ms) end
  local pause_ms = math.min(request.pause_ms, LONGEST_PAUSE_MS)
  if pause_ms > 0 then row.paused_until_ms = math.max(row.paused_until_ms, now_ms + pause_ms) end
  local lease, granted = asked and known[asked.id], true
  local is_new = asked and not lease
  if is_new then lease, granted = reserve(row, rows, request) end
  local reply = reply_to(row, rows, lease, lease and granted)
  commit(row, removed, is_new and granted and asked.id, is_new and granted and lease)
  return reply
end
