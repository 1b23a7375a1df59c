-- Removes a member.
-- Input: group_id, incarnation. Output: none. Cost: O(log members), one row, every index.
DELETE FROM members WHERE group_id = ? AND incarnation = ?
