-- Members whose stale age is over, the longest silent first.
-- Input: group_id, liveness time in ms, limit. Output: their rows. Cost: O(log members + rows found)
-- (members_by_expiry).
SELECT
  id, incarnation, seq, rank, generation, member_count AS memberCount, held, max, level,
  stale_after_ms AS staleAfterMs, clock_error_ms AS clockErrorMs,
  resume_within_ms AS resumeWithinMs, expires_at_ms AS expiresAtMs, standing, joined,
  want, odd, gave_up_ms AS gaveUpMs, rest_until_ms AS restUntilMs, used, waiting
FROM members WHERE group_id = ? AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?
