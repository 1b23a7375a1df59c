-- sync: heartbeat and report.
-- KEYS  see table.lua; one more of a request with `stored`
-- ARGV  1 channel, 2 incarnation, 3 seq, 4 generation adopted, 5 member count, 6 held, 7 max, 8 level or '',
--       9 observed store time, 10 newest epoch begun or '', 11 tokens used in it or '',
--       12 want or '', 13 sync interval or '', 14 what it does or '': see formats.lua; 15 for how long no member is to
--       begin a call or '' (R35);
--       only of a semaphore: 16 slots that its callers wait for, 17 slots that the first of them waits for, 18 whether
--       it took an offer '1' | '0'
-- Reply a list of texts and whole numbers: a view (see answer), or { 'unknown' | 'fenced', store time }; or see healing
-- Cost  one command more with `stored`; otherwise
--       O(log n), 5 commands inside the server where members share by demand, 6 where steady.lua looked before and for
--       a member of a semaphore, 8 where stale members are looked for; O(removed * log n) more when there are any,
--       O(members) when they are counted. A slot that is asked for or offered takes some 6 more: see slots/table.lua
return healing(function()
  local incarnation, max = ARGV[2], tonumber(ARGV[7])
  local limit = limit_for(max)
  local g = load_group(incarnation)
  if not g then return { 'unknown', text(clock_ms) } end
  local now_ms = advance_clock(g, tonumber(ARGV[9]))
  settle(g)
  remove_stale(g, incarnation)
  local m = get_member(incarnation)
  local reply
  if not m then
    reply = { 'unknown', text(now_ms) }
    if slots then slots.rules().serve(g) end
  elseif not takes_part(g, m, tonumber(ARGV[4])) then
    reply = { 'fenced', text(now_ms) }
    if slots then slots.rules().serve(g) end
  else
    check_aggregates(g, m)
    pause(g, tonumber(ARGV[15]))
    reply = accept_report(g, m, {
      seq = tonumber(ARGV[3]),
      generation = tonumber(ARGV[4]),
      member_count = tonumber(ARGV[5]),
      held = tonumber(ARGV[6]),
      max = max,
      limit = limit,
      level = tonumber(ARGV[8]) or false,
      use = use_of(ARGV[10], ARGV[11]),
      want = tonumber(ARGV[12]) or false,
      sync_ms = tonumber(ARGV[13]),
      activity = ARGV[14],
      waits = ARGV[16] and { waiting = tonumber(ARGV[16]), head = tonumber(ARGV[17]), took_offer = ARGV[18] == '1' },
    }, false)
  end
  commit(g, ARGV[1])
  return reply
end)
