-- Writes a group's row.
-- Input: the columns in this order, group_id last. Output: none. Cost: O(log groups), one row, no index.
UPDATE groups SET
  generation = ?, member_count = ?, held = ?, adopted = ?, capacity = ?, largest_member_count = ?, interval_ms = ?,
  created_at_ms = ?, learn_from_ms = ?, learn_until_ms = ?, last_ms = ?, offset_ms = ?, lapsed_ms = ?, quiet_limit_ms = ?,
  longest_stale_ms = ?, clock_error_ms = ?, ahead_until_ms = ?, repairs = ?,
  freed_epoch = ?, spent = ?, wants = ?, hungry_ms = ?, paused_until_ms = ?,
  stored_revision = ?, stored_max = ?
WHERE group_id = ?
