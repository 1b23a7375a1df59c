-- Forgets a key's instants given back.
-- Input: key_id. Output: none. Cost: O(instants of the key).
DELETE FROM freed_permits WHERE key_id = ?
