-- Takes an id out of the queue.
-- Input: key_id, id. Output: none. Cost: O(log queue), one row, one index.
DELETE FROM permit_queue WHERE key_id = ? AND id = ?
