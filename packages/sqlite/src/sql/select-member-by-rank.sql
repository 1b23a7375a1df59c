-- The member with a rank.
-- Input: group_id, rank. Output: its row, or none. Cost: O(log members), one row (members_by_rank).
SELECT
  id, incarnation, seq, rank, generation, member_count AS memberCount, held, max, level,
  stale_after_ms AS staleAfterMs, clock_error_ms AS clockErrorMs,
  resume_within_ms AS resumeWithinMs, expires_at_ms AS expiresAtMs, standing, joined,
  want, odd, gave_up_ms AS gaveUpMs, rest_until_ms AS restUntilMs, used, waiting
FROM members WHERE group_id = ? AND rank = ?
