-- How many are before a place.
-- Input: key_id, place. Output: ahead. Cost: O(log queue + those before the place).
SELECT count(*) AS ahead FROM permit_queue WHERE key_id = ? AND place < ?
