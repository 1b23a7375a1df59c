-- spend: settles leases, takes in what the callee states and a pause, and reserves all of a cost or nothing.
-- KEYS  see table.lua; one more of a request with `stored`: the budget's limit record
-- ARGV  1 nothing, 2 terms or '', 3 former terms or '', 4 pause, 5 what each tier leaves to those before it; then
--         how many limits, and for each its name, and 'max window burst';
--         how many leases are settled, and for each its id, and '1' where measured or '0' with the costs;
--         how much is stated, and for each 'limit rest reset', the limit's place counted from 0;
--         of a reservation, if there is one, its id, and 'tier max-wait keep force' with the costs.
--       Numbers have a space between them; times in milliseconds
-- Reply a text of numbers: granted, instant, wait, limited by (-2 for nothing), rest of a pause, store time, and what
--       is left of each limit, and where the budget has stored limits the max of each that counted; or 'limit ' and
--       what is wrong with the limit record; or 'terms ' and the terms that the budget is used with; or 'damaged ' and
--       what is there instead of a row
-- Cost  O(log n) for each lease, O(slots) for each limit and settlement; 5 commands inside the server, 2 more for
--       settlements
local place = 5

local function following()
  place = place + 1
  return ARGV[place]
end

local function numbers(texts)
  local list = {}
  for number in string.gmatch(texts, '%S+') do list[#list + 1] = tonumber(number) end
  return list
end

-- The numbers from a place of a list on.
local function from(list, first)
  return { unpack(list, first) }
end

local request = {
  terms = ARGV[2], former_terms = ARGV[3], pause_ms = tonumber(ARGV[4]), keeps = numbers(ARGV[5]), limits = {}, settle = {}, stated = {},
}
local ids = {}
for i = 1, tonumber(following()) do
  local name, of = following(), numbers(following())
  request.limits[i] = { name = name, max = of[1], window_ms = of[2], burst = of[3] }
end
for i = 1, tonumber(following()) do
  local id, of = following(), numbers(following())
  ids[i] = id
  request.settle[i] = { id = id, measured = of[1] == 1, costs = from(of, 2) }
end
for i = 1, tonumber(following()) do
  local of = numbers(following())
  request.stated[i] = { limit = of[1], rest = of[2], reset_ms = of[3] }
end
local id = following()
if id then
  local of = numbers(following())
  table.insert(ids, id)
  request.reserve = { id = id, tier = of[1], max_wait_ms = of[2], keep_ms = of[3], force = of[4] == 1, costs = from(of, 5) }
end

local function serve()
  local row, known = load_row(ids)
  if not row and known then return 'damaged ' .. known end
  -- Nothing is made of a budget whose record is damaged.
  if not row and LIMIT then stored_limits(nil, request.limits) end
  return spend(row or create_row(), known or {}, request)
end

if not LIMIT then return serve() end
local done, reply = pcall(serve)
if done then return reply end
if type(reply) == 'table' and reply.limit then return 'limit ' .. reply.limit end
error(reply, 0)
