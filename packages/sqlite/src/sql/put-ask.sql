-- Keeps the text of a request for slots of a member, for its listener in another process.
-- Input: the text, group_id, incarnation. Output: none. Cost: O(log members), one row.
UPDATE slots SET ask = ? WHERE group_id = ? AND incarnation = ?
