-- An instant given back, behind others of the same time.
-- Input: key_id, at_ms, key_id, at_ms, width_ms. Output: none. Cost: O(log instants), one row.
INSERT INTO freed_permits (key_id, at_ms, place, width_ms)
VALUES (?, ?, (SELECT coalesce(max(place), 0) + 1 FROM freed_permits WHERE key_id = ? AND at_ms = ?), ?)
