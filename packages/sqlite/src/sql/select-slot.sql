-- What the queue of a semaphore keeps of one member.
-- Input: group_id, incarnation. Output: its row, or none. Cost: O(log members), one row.
SELECT
  incarnation, held, want, seq, head, since_ms AS sinceMs, tier, reported_ms AS reportedMs,
  offered_ms AS offeredMs, asked_ms AS askedMs, asked, held_since_ms AS heldSinceMs
FROM slots WHERE group_id = ? AND incarnation = ?
