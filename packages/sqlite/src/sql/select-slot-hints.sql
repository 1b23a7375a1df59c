-- The newest offer to a member of a semaphore and the newest request for its slots, for its listener.
-- Input: the group's name, incarnation. Output: times and texts, null where there is none.
-- Cost: O(log groups + log members), one row.
SELECT offered_ms AS offeredMs, offer, asked_ms AS askedMs, ask
FROM slots JOIN groups USING (group_id) WHERE name = ? AND incarnation = ?
