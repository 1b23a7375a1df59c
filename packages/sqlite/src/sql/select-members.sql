-- Every member in order of rank, for inspect only.
-- Input: group_id. Output: their rows. Cost: O(members) (members_by_rank).
SELECT
  id, incarnation, seq, rank, generation, member_count AS memberCount, held, max, level,
  stale_after_ms AS staleAfterMs, clock_error_ms AS clockErrorMs,
  resume_within_ms AS resumeWithinMs, expires_at_ms AS expiresAtMs, standing, joined,
  want, odd, gave_up_ms AS gaveUpMs, rest_until_ms AS restUntilMs, used, waiting
FROM members WHERE group_id = ? ORDER BY rank
