-- A member whose limit is the stored one.
-- Input: group_id. Output: one row, or none. Cost: O(log members), one index entry (members_by_max).
SELECT 1 FROM members WHERE group_id = ? AND max IS NULL LIMIT 1
