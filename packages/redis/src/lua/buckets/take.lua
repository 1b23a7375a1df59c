-- take: serves requests to buckets, each as a whole and by itself, in their order.
-- KEYS  the bucket of each request, where a key may come twice; then the limit record of each one with `stored`
-- ARGV  1 nothing, 2 JSON: the limits, a list of { max, window, burst, concurrent (0 for any number) }; and the
--       requests, a list of { the place of its limit among them or 0, cost or 0, more }. A request that takes a cost at
--       once and does nothing else has no more; others have an object: see serve.lua
-- Reply a list: the server's time as a text, and an answer for each request. That is a list: the bucket's time, units
--       out, units granted, the first one's time, wait, what makes it wait; units in hand, slots in use, hits, the end
--       of their window; the four numbers of the limit in force; and the slots that are not known. It ends where all
--       others are 0 or the limit is the request's own. Or it is a text: 'terms ' and the four numbers of the limit
--       that the bucket is used with, 'limit ' and what is wrong with the limit record, or 'damaged ' and what is there
--       instead of a row. For times and parts of units see numbers.lua
-- Cost  O(n) for each request; two commands inside the server for the first request, and one for each other, one more
--       with `stored`

local call = redis.call

-- The units that are out in the plainest case, or nil: the row of a bucket of which nobody holds anything, with the
-- limit of the request. Nearly all requests are of this kind: what they need is written out, and the functions for the
-- others are not even made. Fails where something is no number.
local function units_out(packed, limit)
  local tag, last_ms, used, max, window_ms, burst, concurrent, more = unpack_values(packed)
  if tag ~= TAG or more ~= nil or max ~= limit.max or window_ms ~= limit.window_ms or burst ~= limit.burst or concurrent ~= limit.concurrent
    or not (last_ms >= 0 and last_ms <= clock_ms and used >= 0 and used <= 1e300) then return nil end
  local ms = clock_ms - last_ms
  if ms > 0 then used = used - ms * max / window_ms end
  return used > 0 and used or 0
end

-- Takes a cost at once (K3), as take() in buckets.lua: the answer, the new row, and for how long it is kept.
local function take_plainly(used, limit, cost)
  local each_ms = limit.each_ms
  local due_in_ms = (used + cost - limit.burst) * each_ms
  local answer
  if cost == 0 then
    answer = { 0, number(used), 0 }
  elseif due_in_ms < NOW_MS then
    answer = { 0, number(used + cost), cost, point(clock_ms + (used + 1 - limit.burst) * each_ms) }
    used = used + cost
  else
    answer = { 0, number(used), 0, 0, number(due_in_ms), RATE }
  end
  local kept_ms = used * each_ms + KEEP_MS
  return answer, HEAD .. pack_values(clock_ms, used) .. limit.packed, ceil(kept_ms < LONGEST_MS and kept_ms or LONGEST_MS)
end

local asked = cjson.decode(ARGV[2])
local limits_asked, requests = asked[1], asked[2]
for place, list in ipairs(limits_asked) do
  local max, window_ms, burst, concurrent = list[1], list[2], list[3], list[4]
  limits_asked[place] = {
    max = max, window_ms = window_ms, burst = burst, concurrent = concurrent, each_ms = window_ms / max,
    packed = pack_values(max, window_ms, burst, concurrent),
  }
end
local found, put, records = call('MGET', unpack(KEYS, 1, #requests)), {}, #requests
local reply = { text(clock_ms) }
for i, request in ipairs(requests) do
  local key, limit, cost, more = KEYS[i], limits_asked[request[1]], request[2], request[3]
  local packed = put[key] or found[i]
  local used
  if limit and not more and cost <= limit.burst then
    used = 0
    if packed then
      local done, out = pcall(units_out, packed, limit)
      used = done and out
    end
  end
  local answer, row, kept_ms
  if used then
    answer, row, kept_ms = take_plainly(used, limit, cost)
  elseif more and more.stored then
    records = records + 1
    answer, row, kept_ms = rules()(packed, limit, cost, more, false, KEYS[records])
  else
    answer, row, kept_ms = rules()(packed, limit, cost, more, more and limits_asked[more.former] or false)
  end
  if row then
    put[key] = row
    if packed then
      call('SET', key, row, 'PX', kept_ms)
    elseif not call('SET', key, row, 'PX', kept_ms, 'NX') then
      put[key], answer = nil, 'damaged a value of another type'
    end
  end
  reply[i + 1] = answer
end
return reply
