-- Since when the data of this prefix was certainly not lost (R8): with proven.lua what data() answers, in every script
-- of a group, and in channel.lua. Whatever is in doubt counts as lost, so that a new group learns.
--
-- One sorted set, <prefix>:data, which no script names in KEYS, since in a Cluster it would be in another slot; there
-- it is never made.
--   'server <run id> <replication id>' -> minus the time since which nothing was lost: the first group that was made on
--       this server, in this run and since it is the primary
--   'begun' -> minus the time at which the set was begun beside keys that were there already; -1 where there was none,
--       or all of them were looked at since
--   'scan <cursor>' -> 0: how far they were looked at, in this run of the server
--   'looked', 'lived': see proven.lua
--   '{<group>}' -> until when the group's keys live. A group that is here and has no rows was deleted by hand.
-- Cost: none, except where it is said.
-- When the set is begun, groups may live that it does not have. Each comes into it within half a day and twice its
-- stale age (commit); a day is plenty. It takes no day where the keys can be looked at: some with every new group.
local GATHER_MS = 86400000
local LOOKED_AT, LOOKS = 1000, 5
-- After a failover the primary before may go on taking writes, which are lost then: under Sentinel for 10 s or so.
local SETTLE_MS = 60000
-- Commands with which the data may have become another without a trace, or the server may have forgotten that it
-- evicted keys.
local TRACELESS = { 'swapdb', 'restore', 'debug', 'config:', 'config|resetstat' }

-- What the server says of itself; raises an error where it refuses. Costs about 0.15 ms.
local function server_facts()
  local facts = {}
  for i, section in ipairs({ 'server', 'replication', 'memory', 'stats', 'cluster', 'commandstats', 'keyspace' }) do
    facts[i] = redis.call('INFO', section)
  end
  return table.concat(facts, '\n')
end

-- The name of this run of this primary (a Redis has a new replication id in every run; servers that are like it may
-- not), or nil where it may have lost something in silence: a group's keys evicted, or its data exchanged.
local function sound_server(facts)
  local function says(line) return string.find(facts, '\n' .. line .. '\r', 1, true) end
  local run_id, replication_id = string.match(facts, '\nrun_id:(%w+)\r'), string.match(facts, '\nmaster_replid:(%w+)\r')
  local keeps = says('maxmemory:0') or says('maxmemory_policy:noeviction')
  if not (run_id and replication_id and keeps and says('role:master') and says('cluster_enabled:0') and says('evicted_keys:0')) then return nil end
  for _, command in ipairs(TRACELESS) do
    if string.find(facts, 'cmdstat_' .. command, 1, true) then return nil end
  end
  return 'server ' .. run_id .. ' ' .. replication_id
end

-- Looks at the next of the keys that were there before the set, and notes the groups among them; true when all were
-- looked at. A SCAN finds every key that is there from its first step to its last; what was deleted meanwhile is older
-- than its end, from which on the data is then known. About 1 ms.
local function gather(server, since, note_until_ms)
  local step = redis.call('ZRANGEBYSCORE', DATA, 0, 0)[1]
  local cursor = step and string.match(step, '^scan (%d+)$') or '0'
  local pattern = string.gsub(PREFIX, '[%*%?%[%]%^\\]', '\\%0') .. '{*}:rows'
  for _ = 1, LOOKS do
    local page = redis.pcall('SCAN', cursor, 'MATCH', pattern, 'COUNT', LOOKED_AT)
    -- Where it is not allowed, it takes the day.
    if page.err then return false end
    cursor = page[1]
    for _, key in ipairs(page[2]) do
      local name = string.match(string.sub(key, #PREFIX + 1), '^({[^{}]*}):rows$')
      if name then redis.call('ZADD', DATA, note_until_ms, name) end
    end
    if cursor == '0' then break end
  end
  if step then redis.call('ZREM', DATA, step) end
  if cursor ~= '0' then
    redis.call('ZADD', DATA, 0, 'scan ' .. cursor)
    return false
  end
  redis.call('ZADD', DATA, since, server, -1, 'begun')
  redis.call('ZREM', DATA, 'looked', 'lived')
  return true
end

local function find_data_since(stale_after_ms)
  local facts = server_facts()
  local server = sound_server(facts)
  if not server then return math.huge end
  local settle_ms = string.find(facts, '\nmaster_replid2:0+\r') and 0 or SETTLE_MS
  local since, begun = tonumber(redis.call('ZSCORE', DATA, server) or nil), tonumber(redis.call('ZSCORE', DATA, 'begun') or nil)
  if not since or not begun then
    begun = begun or (string.find(facts, '\ndb%d') and -clock_ms or -1)
    since = -clock_ms - settle_ms
    local before = redis.call('ZRANGEBYSCORE', DATA, '-inf', 0)
    -- A server that is out of memory refuses a script at its first write or not at all, and only one that adds
    -- something.
    redis.call('ZADD', DATA, since, server, begun, 'begun')
    for _, name in ipairs(before) do
      if name ~= server and name ~= 'begun' then redis.call('ZREM', DATA, name) end
    end
  end
  local gather_ms = GATHER_MS + 2 * (stale_after_ms or 0)
  local has_all = clock_ms > -begun + gather_ms
  if not has_all then
    since = math.min(since, -clock_ms)
    has_all = gather(server, since, clock_ms + gather_ms)
  end
  if not stale_after_ms or not has_all or redis.call('ZSCORE', DATA, GROUP_NAME) then return math.huge end
  return math.max(-since, clock_ms - proven_ms(-since - settle_ms) + settle_ms) + stale_after_ms
end

-- The server's time since which no share of a group that is about to be made can be missing: those from before a loss
-- end within the stale age. Infinite where that is not known, and without a stale age. O(log n).
local function data_since(stale_after_ms)
  local done, since_ms = pcall(find_data_since, stale_after_ms)
  return done and since_ms or math.huge
end

-- Notes until when the group's keys live, if there is a set, and forgets groups that expired. The set lives as long as
-- the last of its groups. O(log n + expired groups).
local function note_group(keep_until_ms)
  if redis.pcall('EXISTS', DATA) ~= 1 then return end
  redis.pcall('ZADD', DATA, keep_until_ms, GROUP_NAME)
  redis.pcall('ZREMRANGEBYSCORE', DATA, '(0', clock_ms)
  local last = redis.pcall('ZREVRANGE', DATA, 0, 0, 'WITHSCORES')
  if last[2] then redis.pcall('PEXPIREAT', DATA, string.format('%.0f', last[2])) end
end

return { since = data_since, note = note_group, key = DATA, gather_ms = GATHER_MS }
