-- inspect: what a key holds, changing nothing.
-- KEYS  see table.lua
-- Reply a list: the theoretical arrival time, the time of the last use, the terms and the former terms or '', the end
--       of a pause or 0, the key's time now, and what counts then (P13): reservations known, instants given back,
--       places in the queue; state, distance and burst of the copy of the limit record or ''; all texts; or 'nothing'
--       where there is no such key; or 'damaged ' and what is there instead of a row
-- Cost  O(log n)
local row, damage = load_row('')
if not row then return damage and 'damaged ' .. damage or 'nothing' end
local used_ms = text(row.last_ms)
local now_ms = text(advance(row))
local reply = { text(row.tat_ms), used_ms, row.terms, row.former_terms, text(row.paused_until_ms), now_ms }
-- Each sorted set also has the member '' at +inf.
for _, counted in ipairs({ { EXPIRY, '(' .. now_ms }, { FREED, text(from_ms(row)) }, { WAITS, '(' .. now_ms } }) do
  reply[#reply + 1] = tostring(redis.call('ZCOUNT', counted[1], counted[2], '(+inf'))
end
for _, part in ipairs({ 'stored_revision', 'stored_every_ms', 'stored_burst' }) do
  reply[#reply + 1] = row[part] and text(row[part]) or ''
end
return reply
