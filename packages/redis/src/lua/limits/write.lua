-- write: compares and swaps a limit record (L1). A record is never forgotten: people set it.
-- KEYS  1 the record: see head.lua
-- ARGV  1 nothing, 2 the revision that it takes the place of, '0' for no record, '' for whatever is there; 3 revision,
--       4 values or '', 5 until or '', 6 history
-- Reply 1 where it was written, 0 where the record is another one by now
-- Cost  O(1)
if ARGV[2] ~= '' then
  local record = redis.pcall('HGET', KEYS[1], 'revision')
  if type(record) == 'table' and not string.find(record.err, 'WRONGTYPE', 1, true) then return record end
  local revision = record or redis.call('EXISTS', KEYS[1]) == 0 and '0'
  if revision ~= ARGV[2] then return 0 end
end
local fields = { 'revision', ARGV[3], 'history', ARGV[6] }
for name, value in pairs({ values = ARGV[4], ['until'] = ARGV[5] }) do
  if value ~= '' then
    table.insert(fields, name)
    table.insert(fields, value)
  end
end
redis.call('UNLINK', KEYS[1])
redis.call('HSET', KEYS[1], unpack(fields))
return 1
