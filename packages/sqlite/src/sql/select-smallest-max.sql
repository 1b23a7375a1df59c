-- The smallest limit that a member declares.
-- Input: group_id. Output: max, or null where none does. Cost: O(log members), one index entry (members_by_max).
SELECT min(max) AS max FROM members WHERE group_id = ?
