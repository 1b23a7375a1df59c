-- The members of a semaphore that hold most.
-- Input: group_id, limit. Output: their rows. Cost: O(log members + limit) (slots_by_held).
SELECT
  incarnation, held, want, seq, head, since_ms AS sinceMs, tier, reported_ms AS reportedMs,
  offered_ms AS offeredMs, asked_ms AS askedMs, asked, held_since_ms AS heldSinceMs
FROM slots WHERE group_id = ? ORDER BY held DESC, incarnation LIMIT ?
