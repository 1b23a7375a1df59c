-- inspect: what a key holds, changing nothing.
-- KEYS  see table.lua
-- Reply a list: the row's theoretical arrival time, last time and offset, its terms and former terms or '', the
--       server's time, and what counts at the key's time then (P13): reservations known, instants given back, places in
--       line; all texts; or 'nothing' where there is no such key; or 'damaged ' and what is there instead of a row
-- Cost  O(log n)
local row, damage = load_row('')
if not row then return damage and 'damaged ' .. damage or 'nothing' end
local reply = { text(row.tat_ms), text(row.last_ms), text(row.offset_ms), row.terms, row.former_terms, text(clock_ms) }
local now_ms = text(advance(row))
-- Each sorted set also has the member '' at +inf.
for _, counted in ipairs({ { EXPIRY, '(' .. now_ms }, { FREED, now_ms }, { WAITS, '(' .. now_ms } }) do
  reply[#reply + 1] = tostring(redis.call('ZCOUNT', counted[1], counted[2], '(+inf'))
end
return reply
