-- Deletes groups that have had no member for longer than the horizon since an interval after the last one (so that
-- nobody is in an epoch in which it used tokens) and than their longest stale age (so long may a share be in use that a
-- reset has forgotten), unless a level is still remembered there. Run when a file is opened.
-- Input: the horizon's group time in ms, the time now, twice (numbered parameters need a newer Node than 22.13).
-- Output: none. Cost: O(groups).
DELETE FROM groups WHERE member_count = 0 AND last_ms + interval_ms < ? AND last_ms + longest_stale_ms < ?
  AND NOT EXISTS (SELECT 1 FROM members WHERE members.group_id = groups.group_id)
  AND NOT EXISTS (SELECT 1 FROM levels WHERE levels.group_id = groups.group_id AND until_ms > ?)
