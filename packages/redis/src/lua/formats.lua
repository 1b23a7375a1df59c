-- What rows look like: the one place where that is declared, as ledger/rows.ts is for @dt/core.
-- A row is stored as MessagePack, which keeps every double as it is: first 'f' and the version of its format, then
-- its fields in the order in which these functions take them. What every sync changes comes first: see steady.lua. A
-- new field comes last, with a new version, and has a value for older rows. Rows are checked when they are read.
-- False stands for nothing.
-- All is written out, the bounds of bounds.ts too: whatever a function takes from outside, and every function more,
-- costs each script time. A whole number is below 2^53, a number of tokens and a duration up to 1e12, a number of
-- members up to 1e9, a time up to 1e16. A rest (R23) may be as long as wants, members and sync intervals make it.
-- Cost: O(fields)
local VERSION = 1
-- Written out: the server prints a number anew in every run.
local TAG = 'f1'
-- The tag in MessagePack, which every row begins with, and where it ends.
local HEAD, HEAD_END = '\162f1', 3

-- True for the fields of a group's row, and nothing after them. Raises an error where something is no number.
-- The wants are a text, which read_group in rows.lua looks into. `earliest_ms`: see remove_stale in ledger.lua. What is
-- stored is the copy of the limit record (R36).
local function is_group(last_ms, generation, member_count, held, adopted, capacity, largest_member_count, interval_ms, created_at_ms, learn_from_ms,
    learn_until_ms, offset_ms, lapsed_ms, quiet_limit_ms, longest_stale_ms, clock_error_ms, ahead_until_ms, repairs, keep_ms, kept_at_ms,
    freed_epoch, spent, hungry_ms, wants, earliest_ms, paused_until_ms, stored_revision, stored_max, more)
  return generation >= 0 and generation < 2^53 and generation % 1 == 0
    and member_count >= 0 and member_count <= 1e9 and member_count % 1 == 0
    and held >= 0 and held < 2^53 and held % 1 == 0
    and adopted >= 0 and adopted <= 1e9 and adopted % 1 == 0
    and capacity >= 0 and capacity <= 1e12 and capacity % 1 == 0
    and largest_member_count >= 0 and largest_member_count <= 1e9 and largest_member_count % 1 == 0
    and interval_ms >= 0 and interval_ms <= 1e12 and created_at_ms >= 0 and created_at_ms <= 1e16
    and learn_from_ms >= 0 and learn_from_ms <= 1e16 and learn_until_ms >= 0 and learn_until_ms <= 1e16
    and last_ms >= 0 and last_ms <= 1e16 and offset_ms >= -1e16 and offset_ms <= 1e16
    and lapsed_ms >= 0 and lapsed_ms <= 1e16 and quiet_limit_ms >= 0 and quiet_limit_ms <= 1e12
    and longest_stale_ms >= 0 and longest_stale_ms <= 1e12 and clock_error_ms >= 0 and clock_error_ms <= 1e12
    and ahead_until_ms >= 0 and ahead_until_ms <= 1e16 and repairs >= 0 and repairs < 2^53 and repairs % 1 == 0
    and keep_ms >= 0 and keep_ms <= 1e16 and kept_at_ms >= 0 and kept_at_ms <= 1e16
    and (freed_epoch == false or freed_epoch >= 0 and freed_epoch < 2^53 and freed_epoch % 1 == 0)
    and spent >= 0 and spent <= 1e12 and spent % 1 == 0 and (hungry_ms == false or hungry_ms >= 0 and hungry_ms <= 1e16)
    and type(wants) == 'string' and (earliest_ms == false or earliest_ms >= 0 and earliest_ms <= 1e16)
    and paused_until_ms >= 0 and paused_until_ms <= 1e16 and more == nil
    and (stored_revision == false and stored_max == false or stored_revision > -2^53 and stored_revision < 2^53 and stored_revision % 1 == 0
      and stored_max >= 1 and stored_max <= 1e12 and stored_max % 1 == 0)
end

-- True for the fields of a member's row, and nothing after them. Raises an error where something is no number.
-- A member with a stored limit has no max (R36). What a member does (R27) is a text as its report has it: tokens used,
-- a space, tokens waited for; or nothing.
local function is_member(seq, expires_at_ms, activity, id, rank, generation, member_count, held, max, level, stale_after_ms, clock_error_ms,
    resume_within_ms, standing, joined, want, odd, gave_up_ms, rest_until_ms, more)
  return seq >= 0 and seq < 2^53 and seq % 1 == 0 and expires_at_ms >= 0 and expires_at_ms <= 1e16 and type(activity) == 'string'
    and type(id) == 'string' and id ~= '' and rank >= 0 and rank <= 1e9 and rank % 1 == 0
    and generation >= 0 and generation < 2^53 and generation % 1 == 0
    and member_count >= 0 and member_count <= 1e9 and member_count % 1 == 0
    and held >= 0 and held <= 1e12 and held % 1 == 0 and (max == false or max >= 0 and max <= 1e12 and max % 1 == 0)
    and (level == false or level >= 0 and level <= 1e12) and stale_after_ms >= 0 and stale_after_ms <= 1e12
    and clock_error_ms >= 0 and clock_error_ms <= 1e12 and resume_within_ms >= 0 and resume_within_ms <= 1e12
    and (standing == 'holder' or standing == 'newcomer' or standing == 'fenced')
    and joined > -2^53 and joined < 2^53 and joined % 1 == 0
    and (want == false or want >= 0 and want < 2^53 and want % 1 == 0) and (odd == false or odd == true)
    and gave_up_ms >= 0 and gave_up_ms <= 1e16 and rest_until_ms >= 0 and rest_until_ms <= 1e300 and more == nil
end

-- Where the sorted set of expiry has a member: at the time at which it counts as stale, rounded up to a whole
-- millisecond, or, where it may be silent for twice as long as a step of this grid, to the grid. So most syncs need not
-- move it there, which takes longest in a large group.
local GRID_MS = 4096
local function place_of(expires_at_ms, stale_after_ms)
  if stale_after_ms < 2 * GRID_MS then return math.ceil(expires_at_ms) end
  return math.ceil(expires_at_ms / GRID_MS) * GRID_MS
end
