-- What a request with `stored` reads of a limit record, ported from @dt/core (limits/): L3, L4 and L6 of
-- limit-ledger.ts.
--
-- The record is a hash, on the hash tag of what it limits: 'revision', 'values' (JSON; absent where the limit was
-- removed), 'until' (absent for good) and 'history' (JSON).
-- Raises  { limit = what is wrong }, where the record is damaged
-- Cost    O(1)

local function damaged_limit(what, value)
  error({ limit = what .. ' ' .. string.sub(tostring(value), 1, 40) }, 0)
end

-- Limits of a budget.
local MOST_NAMES = 16

local function is_amount(value)
  return value > 0 and value <= 1e12
end

local function is_whole(value)
  return value >= 1 and value <= 1e12 and value % 1 == 0
end

local function is_window(value)
  return value >= 1 and value <= 8640000000
end

local function is_burst(value)
  return value >= 1 and value <= 1e12
end

local function is_count(value)
  return is_whole(value) and value <= 1000
end

-- What each kind of limit has, and may have. The numbers of a budget have the names of its limits.
local KINDS = {
  group = { needed = { max = is_whole }, others = {} },
  permits = { needed = { everyMs = is_amount }, others = { burst = is_whole } },
  keyed = { needed = { max = is_amount, windowMs = is_window, burst = is_burst }, others = { concurrent = is_count } },
}

-- True for values of this kind. Raises an error where something is no number.
local function are_values(kind, values)
  local tests, missing = KINDS[kind], 0
  for _ in pairs(tests and tests.needed or {}) do missing = missing + 1 end
  local count = 0
  for name, value in pairs(values) do
    local test = not tests and is_amount or tests.needed[name] or tests.others[name]
    if type(name) ~= 'string' or type(value) ~= 'number' or not test or not test(value) then return false end
    if tests and tests.needed[name] then missing = missing - 1 end
    count = count + 1
  end
  return tests and missing == 0 or not tests and count > 0 and count <= MOST_NAMES
end

-- The state of the record at this time (L3), and its values as JSON.
local function limit_state(key)
  local head = redis.pcall('HMGET', key, 'revision', 'values', 'until')
  if head.err and string.find(head.err, 'WRONGTYPE', 1, true) then damaged_limit('what is', 'no hash') end
  -- Whatever else it is, the caller is to hear of it as it is.
  if head.err then head = redis.call('HMGET', key, 'revision', 'values', 'until') end
  if not head[1] and not head[2] and not head[3] then return 0 end
  local revision = tonumber(string.match(head[1] or '', '^%d+$') or nil)
  if not revision or revision < 1 or revision >= 2^53 then damaged_limit('revision', head[1]) end
  local until_ms = head[3] and tonumber(head[3])
  if head[3] and not (until_ms and until_ms >= 0 and until_ms <= 1e16) then damaged_limit('untilMs', head[3]) end
  if not head[2] or (until_ms and clock_ms >= until_ms) then return -revision end
  return revision, head[2]
end

-- The values of a record from its JSON.
local function values_of(kind, json)
  local done, values = pcall(cjson.decode, json)
  if not done or type(values) ~= 'table' then damaged_limit('values', json) end
  local checked, right = pcall(are_values, kind, values)
  if not checked or not right then damaged_limit('values', json) end
  return values
end

return { state = limit_state, values = values_of }
