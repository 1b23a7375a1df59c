-- The permit arithmetic, ported function by function from @dt/core (permits/permits.ts and stored-limit.ts): the same
-- rules P1..P9 of permit-ledger.ts, P15 and P16, the same arithmetic on doubles, in the same order.
--
-- Cost: one row; what the functions of table.lua cost; arithmetic for each permit of a block.

-- Doubles as large as today's time in milliseconds are so far apart.
local ROUNDING_MS = 2 ^ -12
-- No more is forgiven, however large the burst.
local MOST_ROUNDING_MS = 0.1

-- The limit record of a request with `stored`.
local LIMIT = KEYS[6]
-- While a key has a stored limit nothing is reserved farther ahead.
local STORED_AHEAD_MS = 1000
-- The longest time for which one request may reserve a key, and the longest distance.
local LONGEST_RESERVATION_MS, LONGEST_MS = 86400000, 1e12

-- What is reserved for so long from now on is left by a reset (P12).
local RESET_KEEPS_MS = 60000

-- Advances the key's time to the server's (P2): it never goes back.
local function advance(row)
  if clock_ms + row.offset_ms < row.last_ms then row.offset_ms = row.last_ms - clock_ms end
  -- The sum may be rounded to less.
  row.last_ms = math.max(row.last_ms, clock_ms + row.offset_ms)
  return row.last_ms
end

-- Instant i of a reservation.
local function instant_of(entry, i)
  return math.max(entry.earliest_ms, entry.first_ms + i * entry.step_ms)
end

-- How much earlier than the theoretical arrival time a permit may come: the unused burst. Never positive.
local function shift(request)
  return (math.min(math.max(request.cost, 1), request.burst) - request.burst) * request.every_ms
end

-- By how much the sum may be rounded that is the instant of the last permit of a burst.
local function rounding_ms(request)
  return math.min(request.burst * ROUNDING_MS, MOST_ROUNDING_MS)
end

-- True when a permit at this theoretical arrival time is still to come.
local function is_ahead(request, tat_ms, now_ms)
  return tat_ms + shift(request) > now_ms + rounding_ms(request)
end

-- Permits reserved ahead, by the formula of the distributed throttle's design.
local function reserved_ahead(request, tat_ms, now_ms)
  return math.floor(math.max(0, tat_ms - request.burst * request.every_ms - now_ms) / request.every_ms)
end

-- How many permits in a row the bound allows from this theoretical arrival time on (P4).
local function permitted(request, tat_ms, now_ms)
  local granted = 0
  local t = tat_ms
  while granted < request.count do
    if is_ahead(request, t, now_ms) and reserved_ahead(request, t, now_ms) >= request.max_reserved then break end
    t = math.max(t, now_ms) + request.cost * request.every_ms
    granted = granted + 1
  end
  return granted
end

-- When a refused request would be permitted, if nobody else came (P4).
local function open_at(request, tat_ms)
  if request.max_reserved == 0 then return tat_ms + shift(request) end
  return tat_ms - (request.burst + request.max_reserved) * request.every_ms + 0.001
end

-- One text, since each element of a list costs both sides more than its digits do.
local function reply_to(request, row, entry, retry_after_ms)
  local ahead = reserved_ahead(request, row.tat_ms, row.last_ms)
  local paused_for_ms = math.max(0, row.paused_until_ms - row.last_ms)
  -- What counted, where the key has a stored limit.
  local limit = row.stored_revision and string.format(' %.17g %.17g', request.every_ms, request.burst) or ''
  if not entry then return string.format('0 0 0 0 %.17g %.17g %.17g %.17g', retry_after_ms, ahead, row.last_ms, paused_for_ms) .. limit end
  return string.format('%d %.17g %.17g %.17g %.17g %.17g %.17g %.17g', entry.granted, entry.first_ms, entry.step_ms, entry.earliest_ms,
    retry_after_ms, ahead, row.last_ms, paused_for_ms) .. limit
end

-- No instant lies before: now, or the end of a pause (P15).
local function from_ms(row)
  return math.max(row.last_ms, row.paused_until_ms)
end

-- Records a request's pause with the key (P15), and leaves no burst of what gathered before its end.
local function keep_pause(row, request)
  if request.pause_ms > 0 then row.paused_until_ms = math.max(row.paused_until_ms, row.last_ms + request.pause_ms) end
  if row.paused_until_ms > 0 then
    row.tat_ms = math.max(row.tat_ms, row.paused_until_ms + (request.burst - 1) * request.every_ms)
  end
end

-- Records a reservation and answers with it. tat_before_ms is nil for an instant that had been given back.
local function grant(row, request, granted, first_ms, tat_before_ms)
  local entry = {
    id = request.id, granted = granted, first_ms = first_ms, step_ms = request.cost * request.every_ms, earliest_ms = from_ms(row),
    tat_before_ms = tat_before_ms, turn = next_turn(row),
  }
  local last_ms = instant_of(entry, granted - 1)
  entry.forget_at_ms = last_ms + request.keep_ms
  if row.stored_revision and last_ms > row.last_ms + rounding_ms(request) then
    row.ahead_until_ms = math.max(row.ahead_until_ms or 0, last_ms + entry.step_ms)
  end
  needed_until(row, entry.forget_at_ms)
  redis.call('ZADD', EXPIRY, entry.forget_at_ms, entry.id)
  commit(row, entry)
  return reply_to(request, row, entry, 0)
end

-- Records a request's terms with the key; false when its users have others (P10).
local function match_terms(row, request, idle_ms)
  local terms, former = request.terms, request.former_terms
  if terms == '' or (terms ~= row.terms and former ~= row.terms and terms == row.former_terms) then return true end
  local free = row.terms == '' or idle_ms > TERMS_HOLD_MS
  if not free and terms ~= row.terms and former ~= row.terms then return false end
  row.terms, row.former_terms = terms, former
  return true
end

-- What the key's limit is for a request with `stored` (P16, L4): the copy while the record is in its state, otherwise
-- the record's numbers, and the code's where it names none.
local function stored_limit(row, request)
  local revision, json = limits().state(LIMIT)
  if row and row.stored_revision == revision then return nil end
  local set = json and limits().values('permits', json) or {}
  return { revision = revision, every_ms = set.everyMs or request.every_ms, burst = set.burst or request.burst }
end

-- Takes in the limit of a request with `stored`. A copy that was not used for as long as terms bind is gone. With
-- another distance, what of the timestamp lies beyond the instants that are reserved ahead keeps its units.
local function keep_copy(row, request, idle_ms)
  if idle_ms > TERMS_HOLD_MS then row.stored_revision, row.stored_every_ms, row.stored_burst = nil, nil, nil end
  local stored = LIMIT and stored_limit(row, request)
  if not stored then return end
  local every_before_ms = row.stored_every_ms
  row.stored_revision, row.stored_every_ms, row.stored_burst = stored.revision, stored.every_ms, stored.burst
  -- By which distance a key without a copy is reserved nobody knows.
  if not every_before_ms then row.ahead_until_ms = row.tat_ms end
  local ahead_ms = math.max(from_ms(row), row.ahead_until_ms or 0)
  if every_before_ms and row.tat_ms > ahead_ms then
    row.tat_ms = ahead_ms + math.min((row.tat_ms - ahead_ms) * stored.every_ms / every_before_ms, LONGEST_MS)
  end
end

-- The request as the copy makes it: with the numbers in force, within the bounds of P11, and with nothing reserved far
-- ahead.
local function in_force(row, asked)
  if not row.stored_revision then return asked end
  local every_ms = LIMIT and row.stored_every_ms or math.max(asked.every_ms, row.stored_every_ms)
  local burst = LIMIT and row.stored_burst or math.min(asked.burst, row.stored_burst)
  local most_units = math.max(1, LONGEST_RESERVATION_MS / every_ms)
  local cost = math.min(asked.cost, most_units)
  return {
    id = asked.id, cost = cost, every_ms = every_ms, burst = math.min(burst, math.max(1, math.floor(LONGEST_MS / every_ms))),
    count = math.min(asked.count, math.max(1, math.floor(most_units / cost))), keep_ms = asked.keep_ms, queue_ms = asked.queue_ms,
    max_reserved = math.min(asked.max_reserved, math.floor(STORED_AHEAD_MS / every_ms)), pause_ms = asked.pause_ms,
  }
end

-- Reserves up to so many permits as the request counts (P3 to P8, P10, P15, P16).
local function reserve(row, known, asked)
  local used_ms = row.last_ms
  local now_ms = advance(row)
  local idle_ms = now_ms - math.max(used_ms, row.tat_ms)
  forget_entries(row, now_ms)
  local is_known = known and known.forget_at_ms > now_ms
  if not is_known then
    if not match_terms(row, asked, idle_ms) then return 'terms ' .. row.terms end
    keep_copy(row, asked, idle_ms)
  end
  local request = in_force(row, asked)
  local step_ms = request.cost * request.every_ms
  if is_known then
    keep_pause(row, request)
    commit(row)
    return reply_to(request, row, known, 0)
  end
  keep_pause(row, request)
  local ahead, in_queue = ahead_in_queue(request.id, now_ms)
  if ahead == 0 and is_ahead(request, row.tat_ms, now_ms) and request.max_reserved > 0 then
    local freed = take_freed(row, from_ms(row), step_ms)
    if freed then
      if freed.width_ms > step_ms then add_freed(row, freed.at_ms + step_ms, freed.width_ms - step_ms) end
      if in_queue then leave_queue(request.id) end
      return grant(row, request, 1, freed.at_ms, nil)
    end
  end
  -- Those in the queue come first: the request is judged as if each of them had taken a permit (P8).
  local judged_ms = row.tat_ms
  if ahead > 0 then judged_ms = math.max(row.tat_ms, now_ms) + ahead * step_ms end
  local granted = permitted(request, judged_ms, now_ms)
  if granted == 0 then
    local retry_after_ms = open_at(request, judged_ms) - now_ms
    if request.queue_ms > 0 then enqueue(row, request.id, now_ms + retry_after_ms + request.queue_ms) end
    commit(row)
    return reply_to(request, row, nil, retry_after_ms)
  end
  if in_queue then leave_queue(request.id) end
  local tat_before_ms = math.max(row.tat_ms, now_ms)
  row.tat_ms = tat_before_ms + granted * step_ms
  return grant(row, request, granted, tat_before_ms + shift(request), tat_before_ms)
end

-- Resets the key (P12).
local function reset(row)
  local now_ms = advance(row)
  forget_entries(row, now_ms)
  local at_ms, width_ms = forget_after(row, now_ms + RESET_KEEPS_MS)
  local next_ms = now_ms
  -- A distance of years is what the reset is for.
  if at_ms then next_ms = at_ms + (width_ms <= RESET_KEEPS_MS and width_ms or 0) end
  row.tat_ms = math.min(row.tat_ms, math.max(now_ms, next_ms))
  row.terms, row.former_terms, row.paused_until_ms = '', '', 0
  row.stored_revision, row.stored_every_ms, row.stored_burst, row.ahead_until_ms = nil, nil, nil, nil
  commit(row)
end

-- Gives back all but the first `keep` instants of a reservation (P7); true when at least one became free.
local function release(row, entry, id, keep)
  advance(row)
  leave_queue(id)
  if not entry or entry.granted <= keep then
    commit(row)
    return false
  end
  if entry.tat_before_ms and entry.tat_before_ms + entry.granted * entry.step_ms == row.tat_ms then
    row.tat_ms = entry.tat_before_ms + keep * entry.step_ms
  else
    for i = keep, entry.granted - 1 do
      local at_ms = instant_of(entry, i)
      if at_ms > row.last_ms then add_freed(row, at_ms, entry.step_ms) end
    end
  end
  entry.granted = keep
  commit(row, entry)
  return true
end
