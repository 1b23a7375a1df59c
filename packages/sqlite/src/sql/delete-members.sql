-- Removes all members of a group, for a repair.
-- Input: group_id. Output: none. Cost: O(members).
DELETE FROM members WHERE group_id = ?
