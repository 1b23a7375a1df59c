-- release: gives instants of a reservation back; nothing happens when it is not known.
-- KEYS  see table.lua
-- ARGV  1 channel, 2 id, 3 how many of its instants, from the first, stay reserved
-- Reply 'freed' when at least one instant became free, which is also published on the channel; otherwise 'nothing'; or
--       'damaged ' and what is there instead of a row
-- Cost  O(log n) for each instant given back; O(log n) for all of a reservation that nobody came after
local row, entry = load_row(ARGV[2])
if not row and entry then return 'damaged ' .. entry end
if not row or not release(row, entry, ARGV[2], tonumber(ARGV[3])) then return 'nothing' end
hint(ROWS .. ':hints', ARGV[1])
return 'freed'
