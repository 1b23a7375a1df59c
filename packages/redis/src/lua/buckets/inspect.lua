-- inspect: what a bucket holds, changing nothing.
-- KEYS  1 the bucket
-- Reply a text of numbers: the bucket's time, units out, the four numbers of its limit, hits and the
--       end of their window, units that processes hold, and slots in use; or 'nothing' where there is no such bucket;
--       or 'damaged ' and what is there instead of a row
-- Cost  O(n)
local packed = redis.pcall('GET', KEYS[1])
if not packed then return 'nothing' end
if type(packed) == 'table' then
  if string.find(packed.err, 'WRONGTYPE', 1, true) then return 'damaged a value of another type' end
  return packed
end
local row, damage = row_of(packed)
if not row then return 'damaged ' .. damage end
advance(row)
local numbers = {
  row.last_ms, row.used, row.max, row.window_ms, row.burst, row.concurrent, row.hits, row.hits_until_ms, held_of(row),
  row.slots and #row.slots or 0,
}
for i, value in ipairs(numbers) do numbers[i] = text(value) end
return table.concat(numbers, ' ')
