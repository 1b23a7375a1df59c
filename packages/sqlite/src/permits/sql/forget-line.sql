-- Forgets who is in line.
-- Input: key_id. Output: none. Cost: O(line of the key).
DELETE FROM permit_line WHERE key_id = ?
