-- list: one step of a SCAN through the keys of this server. A script by itself.
-- ARGV  1 nothing, 2 the run id of the server that gave the cursor, or '', 3 cursor, 4 pattern, 5 how many keys to
--       look at
-- Reply a list: the server's run id, the next cursor ('0' at the end), and the keys found that fit the pattern; or the
--       run id alone where another server, or another run of this one, gave the cursor: it means nothing here
-- Cost  O(the keys looked at), and a section of INFO
local facts = redis.pcall('INFO', 'server')
local run_id = type(facts) == 'string' and string.match(facts, '\nrun_id:(%w+)\r') or '-'
if ARGV[2] ~= '' and ARGV[2] ~= run_id then return { run_id } end
local found = redis.call('SCAN', ARGV[3], 'MATCH', ARGV[4], 'COUNT', ARGV[5])
local reply = { run_id, found[1] }
for _, key in ipairs(found[2]) do reply[#reply + 1] = key end
return reply
