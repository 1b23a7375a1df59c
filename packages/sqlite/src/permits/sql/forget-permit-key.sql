-- Forgets a key with all it has (ON DELETE CASCADE).
-- Input: name. Output: none. Cost: O(what the key has).
DELETE FROM permit_keys WHERE name = ?
