-- All that the queue of a semaphore keeps, for a repair.
-- Input: group_id. Output: the rows. Cost: O(members).
SELECT
  incarnation, held, want, seq, head, since_ms AS sinceMs, tier, reported_ms AS reportedMs,
  offered_ms AS offeredMs, asked_ms AS askedMs, asked, held_since_ms AS heldSinceMs
FROM slots WHERE group_id = ?
