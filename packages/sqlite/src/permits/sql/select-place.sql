-- The place of an id in the queue.
-- Input: key_id, id. Output: place, or none. Cost: O(log queue), one row.
SELECT place FROM permit_queue WHERE key_id = ? AND id = ?
