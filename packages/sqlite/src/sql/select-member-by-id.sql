-- The member with an id that is not fenced.
-- Input: group_id, id. Output: its row, or none. Cost: O(log members), one row (members_by_id).
SELECT
  id, incarnation, seq, rank, generation, pool_size AS poolSize, held, max, level,
  stale_after_ms AS staleAfterMs, resume_within_ms AS resumeWithinMs, expires_at_ms AS expiresAtMs, fenced
FROM members WHERE group_id = ? AND id = ? AND fenced = 0
