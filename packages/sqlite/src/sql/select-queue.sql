-- The first members in the queue of a semaphore, in its order.
-- Input: group_id, limit. Output: their rows. Cost: O(log members + limit) (slots_by_place).
SELECT
  incarnation, held, want, seq, head, since_ms AS sinceMs, tier, reported_ms AS reportedMs,
  offered_ms AS offeredMs, asked_ms AS askedMs, asked, held_since_ms AS heldSinceMs
FROM slots WHERE group_id = ? AND since_ms IS NOT NULL ORDER BY tier, since_ms, incarnation LIMIT ?
