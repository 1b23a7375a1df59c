-- Takes an id out of the line.
-- Input: key_id, id. Output: none. Cost: O(log line), one row, one index.
DELETE FROM permit_line WHERE key_id = ? AND id = ?
