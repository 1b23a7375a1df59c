-- Writes a member's row, new or not.
-- Input: the columns in this order. Output: none. Cost: O(log members), one row, every index.
INSERT INTO members (
  group_id, incarnation, id, seq, rank, generation, member_count, held, max, level, stale_after_ms, clock_error_ms, resume_within_ms,
  expires_at_ms, standing, joined, want, odd, gave_up_ms, rest_until_ms, used, waiting
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (group_id, incarnation) DO UPDATE SET
  id = excluded.id, seq = excluded.seq, rank = excluded.rank, generation = excluded.generation, member_count = excluded.member_count,
  held = excluded.held, max = excluded.max, level = excluded.level, stale_after_ms = excluded.stale_after_ms, clock_error_ms = excluded.clock_error_ms,
  resume_within_ms = excluded.resume_within_ms, expires_at_ms = excluded.expires_at_ms, standing = excluded.standing, joined = excluded.joined,
  want = excluded.want, odd = excluded.odd, gave_up_ms = excluded.gave_up_ms, rest_until_ms = excluded.rest_until_ms,
  used = excluded.used, waiting = excluded.waiting
