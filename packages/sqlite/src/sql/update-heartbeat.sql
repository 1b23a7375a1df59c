-- Writes what changes with a heartbeat, and touches one of the four indexes.
-- Input: the columns in this order, then group_id, incarnation. Output: none. Cost: O(log members), one row,
-- members_by_expiry.
UPDATE members SET seq = ?, generation = ?, member_count = ?, held = ?, level = ?, expires_at_ms = ?, want = ?, odd = ?, gave_up_ms = ?, rest_until_ms = ?,
  used = ?, waiting = ?
WHERE group_id = ? AND incarnation = ?
