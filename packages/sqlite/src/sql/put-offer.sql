-- Keeps the text of an offer to a member, for its listener in another process.
-- Input: the text, group_id, incarnation. Output: none. Cost: O(log members), one row.
UPDATE slots SET offer = ? WHERE group_id = ? AND incarnation = ?
