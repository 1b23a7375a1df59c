-- The place of an id in line.
-- Input: key_id, id. Output: place, or none. Cost: O(log line), one row.
SELECT place FROM permit_line WHERE key_id = ? AND id = ?
