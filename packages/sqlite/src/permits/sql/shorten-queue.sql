-- Forgets those before a place whose time is over.
-- Input: key_id, place, the key's time in ms. Output: none. Cost: O(log queue + those before the place).
DELETE FROM permit_queue WHERE key_id = ? AND place < ? AND until_ms <= ?
