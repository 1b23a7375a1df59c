-- reserve: permits for a request, or when to try again.
-- KEYS  see table.lua; one more of a request with `stored`: the key's limit record
-- ARGV  1 channel, 2 id, 3 count, 4 cost, 5 every, 6 burst, 7 max reserved, 8 keep, 9 queue, 10 terms, 11 former terms
--       or '', 12 pause; times in milliseconds
-- Reply a text of numbers: granted, first, step, earliest, retry after, reserved ahead, store time, what is left of a
--       pause, and where the key has a stored limit the distance and the burst that counted; or 'terms ' and the terms
--       that the key is used with; or 'limit ' and what is wrong with the limit record; or 'damaged ' and what is
--       there instead of a row
-- Cost  O(log n), 6 commands inside the server, 9 for an instant that had been given back
local request = {
  id = ARGV[2],
  count = tonumber(ARGV[3]),
  cost = tonumber(ARGV[4]),
  every_ms = tonumber(ARGV[5]),
  burst = tonumber(ARGV[6]),
  max_reserved = tonumber(ARGV[7]),
  keep_ms = tonumber(ARGV[8]),
  queue_ms = tonumber(ARGV[9]),
  terms = ARGV[10],
  former_terms = ARGV[11],
  pause_ms = tonumber(ARGV[12]),
}

local function serve()
  local row, known = load_row(request.id)
  if not row and known then return 'damaged ' .. known end
  -- Nothing is made of a key whose record is damaged.
  if not row and LIMIT then stored_limit(nil, request) end
  return reserve(row or create_row(), known, request)
end

if not LIMIT then return serve() end
local done, reply = pcall(serve)
if done then return reply end
if type(reply) == 'table' and reply.limit then return 'limit ' .. reply.limit end
error(reply, 0)
