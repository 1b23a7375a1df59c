-- Serves requests of every kind, for take.lua. Cost: O(n), n as in table.lua.

-- What more a request asks that takes a cost at once, and does nothing else.
local NO_MORE = { max_wait_ms = 0, ahead = 0 }

-- The rest of an answer, where not all of it is 0.
local function add_rest(answer, row, more, is_own)
  local hold = more.hold and part_of(row.holds, more.hold.id)
  answer[7], answer[8] = hold and hold.units or 0, row.slots and #row.slots or 0
  answer[9], answer[10] = 0, 0
  if row.hits_until_ms > row.last_ms then answer[9], answer[10] = row.hits, point(row.hits_until_ms) end
  if is_own and not more.renew then return end
  answer[11], answer[12], answer[13], answer[14] = number(row.max), number(row.window_ms), number(row.burst), row.concurrent
  for _, id in ipairs(more.renew or {}) do
    if not part_of(row.slots, id) then answer[#answer + 1] = id end
  end
end

-- Serves one request: its answer, and whether the row is to be put.
local function take_units(row, limit, cost, more, former, record)
  local used_ms = row.last_ms
  advance(row)
  local hold = more.hold and part_of(row.holds, more.hold.id)
  local granted, first_ms, wait_ms, limited_by = 0, 0, 0, NOTHING
  if hold and more.hold.seq <= hold.seq then
    granted, first_ms, wait_ms, limited_by = repeated(hold, more.hold.seq)
  else
    local other = limit and put_in_force(row, limit, former, used_ms, record)
    if other then
      return table.concat({ 'terms', text(other.max), text(other.window_ms), text(other.burst), text(other.concurrent) }, ' '), false
    end
    if row.slots and (more.release or more.renew) then keep_slots(row, more.release, more.renew, more.renew_ms) end
    if more.hits then count_hits(row, more.hits.window_ms, more.hits.by) end
    local since_ms = hold and waits_since(hold)
    if hold then report(row, hold, more.hold) end
    if cost > 0 and row.max > 0 then granted, first_ms, wait_ms, limited_by = take(row, cost, more, hold, since_ms) end
  end
  local answer = { point(row.last_ms), number(row.used), granted }
  if limited_by > 0 then
    answer[4], answer[5], answer[6] = granted > 0 and point(first_ms) or 0, number(wait_ms), limited_by
  elseif granted > 0 then
    answer[4] = point(first_ms)
  end
  local is_own = limit and is_same(limit, row) or row.max == 0
  if more.hold or more.renew or row.slots or row.hits_until_ms > row.last_ms or not is_own then
    answer[4], answer[5], answer[6] = answer[4] or 0, answer[5] or 0, answer[6] or 0
    add_rest(answer, row, more, is_own)
  end
  return answer, true
end

-- The same, where the limit record may be damaged.
local function take_by_record(...)
  local done, answer, changed = pcall(take_units, ...)
  if done then return answer, changed end
  if type(answer) == 'table' and answer.limit then return 'limit ' .. answer.limit, false end
  error(answer, 0)
end

-- Serves a request on the row that is packed here, or on a new one: its answer, and the new row and for how long it is
-- kept, where there is one.
local function serve(packed, limit, cost, more, former, record)
  local row, damage
  if packed then row, damage = row_of(packed) else row = new_row() end
  if not row then return 'damaged ' .. damage end
  local take_one = record and take_by_record or take_units
  local answer, changed = take_one(row, limit, cost, more or NO_MORE, former, record)
  if not changed then return answer end
  return answer, packed_row(row, limit), kept_for_ms(row)
end

return serve
