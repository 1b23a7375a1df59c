-- The rows of a semaphore's queue (R28), which stand for SlotTable of @dt/core: a part of slots.rules(), which the
-- scripts of a semaphore make when they need it. They only choose: nothing that a row of these holds entitles a member
-- to a slot, so one that cannot be read is dropped.
--
-- KEYS, only of a group with the interval of semaphores, on the hash tag of the others:
--   7 queue    sorted set: incarnation by the group time since which it is in the queue, plus its tier times 2^43: what
--              it lacks decides who comes first
--   8 holders  sorted set: incarnation by minus the slots that it holds
-- Both have the member '' at +inf, as the others have. The row itself is the field 's:'<incarnation> of the rows.
--
-- Changed rows are written by commit(); the sorted sets are written at once, since looks follow in the same script.
-- Cost: see the functions.
local QUEUE, HOLDERS = KEYS[7], KEYS[8]
-- The most members of the queue, and of those that hold most, that one operation looks at.
local SLOT_LOOK = 32
local TIER = 2^43

-- True for the fields of a row, and nothing after them. Raises an error where something is no number.
local function is_slots(held, want, seq, head, since_ms, tier, reported_ms, offered_ms, asked_ms, asked, held_since_ms, more)
  return held >= 0 and held <= 1e12 and held % 1 == 0 and want >= 0 and want < 2^53 and want % 1 == 0
    and seq >= 0 and seq < 2^53 and seq % 1 == 0 and head >= 0 and head <= 1e12 and head % 1 == 0
    and (since_ms == false or since_ms >= 0 and since_ms <= 1e16) and (tier == 0 or tier == 1 or tier == 2)
    and reported_ms >= 0 and reported_ms <= 1e16 and (offered_ms == false or offered_ms >= 0 and offered_ms <= 1e16)
    and (asked_ms == false or asked_ms >= 0 and asked_ms <= 1e16) and asked >= 0 and asked <= 1e12 and asked % 1 == 0
    and held_since_ms >= 0 and held_since_ms <= 1e16 and more == nil
end

-- Where the queue has a member, or false.
local function place_in_queue(s)
  return s.since_ms and s.since_ms + s.tier * TIER
end

local function read_slots(v)
  if not is_slots(unpack(v, 2, 13)) then error('what no member of a semaphore has', 0) end
  local s = {
    held = v[2], want = v[3], seq = v[4], head = v[5], since_ms = v[6], tier = v[7], reported_ms = v[8], offered_ms = v[9], asked_ms = v[10],
    asked = v[11], held_since_ms = v[12], stored_held = v[2],
  }
  s.stored_place = place_in_queue(s)
  return s
end

local function write_slots(s)
  return cmsgpack.pack(TAG, s.held, s.want, s.seq, s.head, s.since_ms, s.tier, s.reported_ms, s.offered_ms, s.asked_ms, s.asked, s.held_since_ms)
end

-- Forgets what the queue has of a member: O(log n).
local function drop_slots(incarnation)
  redis.call('HDEL', ROWS, 's:' .. incarnation)
  redis.call('ZREM', QUEUE, incarnation)
  redis.call('ZREM', HOLDERS, incarnation)
  slots.rows[incarnation], slots.changed[incarnation] = false, nil
end

-- The row that is stored in this text, or false: one that cannot be read is dropped.
local function slots_in(incarnation, packed)
  local sound, s = pcall(unpacked, read_slots, packed, 's:' .. incarnation)
  if not sound then
    drop_slots(incarnation)
    return false
  end
  s.incarnation = incarnation
  return s
end

-- A member's row or false: O(1).
local function slots_of(incarnation)
  local s = slots.rows[incarnation]
  if s == nil then s = redis.call('HGET', ROWS, 's:' .. incarnation) end
  if type(s) == 'string' then s = slots_in(incarnation, s) end
  slots.rows[incarnation] = s
  return s
end

-- O(log n), and nothing where neither its place nor what it holds has changed.
local function put_slots(s)
  local incarnation, place = s.incarnation, place_in_queue(s)
  slots.rows[incarnation], slots.changed[incarnation] = s, write_slots(s)
  if place ~= s.stored_place then
    if place then redis.call('ZADD', QUEUE, place, incarnation) else redis.call('ZREM', QUEUE, incarnation) end
  end
  if s.held ~= s.stored_held then redis.call('ZADD', HOLDERS, -s.held, incarnation) end
  s.stored_place, s.stored_held = place, s.held
end

-- Makes the sorted sets where one of them is missing: a group of the interval of semaphores that has no member of one
-- yet has none, and a server may have evicted them. O(members).
local function index_slots(g)
  for _, key in ipairs({ QUEUE, HOLDERS }) do redis.call('ZADD', key, '+inf', '') end
  local rows = redis.call('HGETALL', ROWS)
  for i = 1, #rows, 2 do
    if string.sub(rows[i], 1, 2) == 's:' then
      local s = slots_of(string.sub(rows[i], 3))
      if s then
        s.stored_place, s.stored_held = false, false
        put_slots(s)
      end
    end
  end
  -- They live as long as the other keys.
  g.kept_at_ms = 0
end

-- The rows of these members; one that has none is dropped: O(found).
local function slots_of_all(incarnations)
  local fields, unread, found = {}, {}, {}
  for _, incarnation in ipairs(incarnations) do
    if slots.rows[incarnation] == nil then
      fields[#fields + 1], unread[#unread + 1] = 's:' .. incarnation, incarnation
    end
  end
  if fields[1] then
    for i, packed in ipairs(redis.call('HMGET', ROWS, unpack(fields))) do slots.rows[unread[i]] = packed end
  end
  for _, incarnation in ipairs(incarnations) do
    local s = slots_of(incarnation)
    if s then found[#found + 1] = s else drop_slots(incarnation) end
  end
  return found
end

-- The first of one of the sorted sets: O(SLOT_LOOK + log n). Its end is '', unless it is not whole.
local function first_slots(g, key)
  local first = redis.call('ZRANGE', key, 0, SLOT_LOOK)
  if #first <= SLOT_LOOK and first[#first] ~= '' then
    index_slots(g)
    first = redis.call('ZRANGE', key, 0, SLOT_LOOK)
  end
  first[#first] = nil
  return slots_of_all(first)
end
