-- Deletes the levels of groups that are gone. Run after forget-groups.
-- Input: none. Output: none. Cost: O(levels log groups).
DELETE FROM levels WHERE NOT EXISTS (SELECT 1 FROM groups WHERE groups.group_id = levels.group_id)
