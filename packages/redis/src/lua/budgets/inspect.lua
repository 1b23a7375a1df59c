-- inspect: what a budget holds, changing nothing.
-- KEYS  see table.lua
-- Reply a list: the time of the last use, the budget's time now, the end of a pause, the terms and the former terms or
--       '', leases that are known now (B12), the state of the copy of the limit record or '', and how many limits the
--       copy has; for each of these its name and max; then for each limit its name, 'max window surplus variance
--       learned', its slots, and the units of each; all texts, numbers with a space between them; or 'nothing' where
--       there is no such budget; or 'damaged ' and what is there instead of a row
-- Cost  O(log n), and O(slots)
local row, damage = load_row({})
if not row then return damage and 'damaged ' .. damage or 'nothing' end

local function texts(list)
  local parts = {}
  for i, number in ipairs(list) do parts[i] = text(number) end
  return table.concat(parts, ' ')
end

local used_ms = row.last_ms
local now_ms = advance(row)
-- The sorted set also has the member '' at +inf.
local open = redis.call('ZCOUNT', EXPIRY, '(' .. text(now_ms), '(+inf')
local reply = { text(used_ms), text(now_ms), text(row.paused_until_ms), row.terms, row.former_terms, tostring(open), '', '0' }
if row.stored then
  reply[7] = text(row.stored.revision)
  for name, max in pairs(row.stored.maxes) do
    table.insert(reply, name)
    table.insert(reply, text(max))
  end
  reply[8] = tostring((#reply - 8) / 2)
end
for _, limit in ipairs(row.limits) do
  table.insert(reply, limit.name)
  table.insert(reply, texts({ limit.max, limit.window_ms, limit.surplus, limit.variance, limit.learned_ms }))
  for i, slot in ipairs(limit.slots) do limit.slots[i] = limit.base + slot end
  table.insert(reply, texts(limit.slots))
  table.insert(reply, texts(limit.units))
end
return reply
