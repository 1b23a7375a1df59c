-- What rows say of demand (R21 to R25) stands beside them, as what is freed does: ported from ledger/demand-beside.ts
-- of @dt/core. Part 7 of every script of a group. Versions before R21 do not look there. They change no want, but add
-- and remove members: so the counts name the generation that they belong to; beside another one they are not known.
--   'wants'           -> generation, when somebody was short or false, then what members want: want, how many, ...; the
--                        smallest want first
--   'd:'<incarnation> -> what the member wants or false, 1 with an odd token, when it gave up tokens, until when it
--                        rests; one that shares evenly and takes no turns has no such field
-- Cost: O(different wants)

local function is_time(value) return type(value) == 'number' and value == value and math.abs(value) < math.huge end

-- The counts where all is sound and belongs to the generation, otherwise nil.
local function sound_wants(g, sound, generation, hungry_ms, ...)
  if not sound or generation ~= g.generation or select('#', ...) % 2 ~= 0 then return nil end
  if hungry_ms and not is_time(hungry_ms) then return nil end
  local wants, last = { ... }, -1
  for i = 1, #wants, 2 do
    local want, members = wants[i], wants[i + 1]
    if not is_count(want) or not is_count(members) or members == 0 or want <= last then return nil end
    last = want
  end
  g.hungry_ms = hungry_ms
  return wants
end

-- Adds to a group's row what its members want: nil where that is not known.
local function with_wants(g, packed)
  g.wants, g.hungry_ms, g.wants_changed = nil, false, false
  if packed then g.wants = sound_wants(g, pcall(cmsgpack.unpack, packed)) end
end

local function wants_beside(g)
  return cmsgpack.pack(g.generation, g.hungry_ms, unpack(g.wants))
end

local function put_beside(m, sound, want, odd, gave_up_ms, rest_until_ms, ...)
  if not sound or select('#', ...) > 0 then return end
  if not (want == false or is_count(want)) or not is_time(gave_up_ms) or not is_time(rest_until_ms) then return end
  m.want, m.odd, m.gave_up_ms, m.rest_until_ms = want or nil, odd == 1, gave_up_ms, rest_until_ms
end

-- Adds to a member's row what it wants: nothing for one that shares evenly, and where it cannot be right.
local function with_beside(m, packed)
  m.beside = packed
  put_beside(m, pcall(cmsgpack.unpack, packed))
end

-- What is to be stored beside a member's row; nil for one that shares evenly, and has no turn to remember.
local function member_beside(m)
  local is_something = m.want or m.odd or (m.gave_up_ms or 0) ~= 0 or (m.rest_until_ms or 0) ~= 0
  return is_something and cmsgpack.pack(m.want or false, m.odd and 1 or 0, m.gave_up_ms or 0, m.rest_until_ms or 0)
end

-- True where members that share evenly take turns like the others, since their even part is 0 (R23). O(1).
local function turns(g)
  return g.capacity < g.pool_size and g.wants and g.wants[1] and true or false
end
