-- A group by its name.
-- Input: name. Output: its row, or none. Cost: O(log groups), one row.
SELECT
  group_id AS groupId, generation, member_count AS memberCount, held, adopted, capacity, largest_member_count AS largestMemberCount,
  interval_ms AS intervalMs, created_at_ms AS createdAtMs, learn_from_ms AS learnFromMs, learn_until_ms AS learnUntilMs, last_ms AS lastMs,
  offset_ms AS offsetMs, lapsed_ms AS lapsedMs, quiet_limit_ms AS quietLimitMs, longest_stale_ms AS longestStaleMs,
  clock_error_ms AS clockErrorMs, ahead_until_ms AS aheadUntilMs, repairs,
  freed_epoch AS freedEpoch, spent, wants, hungry_ms AS hungryMs, paused_until_ms AS pausedUntilMs,
  stored_revision AS storedRevision, stored_max AS storedMax
FROM groups WHERE name = ?
