-- Forgets those before a place whose time is over.
-- Input: key_id, place, the key's time in ms. Output: none. Cost: O(log line + those before the place).
DELETE FROM permit_line WHERE key_id = ? AND place < ? AND until_ms <= ?
