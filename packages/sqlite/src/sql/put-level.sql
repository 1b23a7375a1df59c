-- Remembers the last level of an id.
-- Input: group_id, id, level, until_ms. Output: none. Cost: O(log levels), one row.
INSERT INTO levels (group_id, id, level, until_ms) VALUES (?, ?, ?, ?)
ON CONFLICT (group_id, id) DO UPDATE SET level = excluded.level, until_ms = excluded.until_ms
