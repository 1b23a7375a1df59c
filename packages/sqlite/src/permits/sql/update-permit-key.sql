-- Writes a key's row.
-- Input: the columns in this order, key_id last. Output: none. Cost: O(log keys), one row; an index when keep_until_ms
-- moves, once a minute at most.
UPDATE permit_keys SET tat_ms = ?, last_ms = ?, offset_ms = ?, keep_until_ms = ?, terms = ?, former_terms = ?, paused_until_ms = ?,
  stored = ?, ahead_until_ms = ?
WHERE key_id = ?
