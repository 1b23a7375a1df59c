-- Forgets who is in the queue.
-- Input: key_id. Output: none. Cost: O(queue of the key).
DELETE FROM permit_queue WHERE key_id = ?
