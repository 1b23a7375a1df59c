-- What the members want that share by demand; asked for before a change of membership.
-- Input: group_id. Output: want of each. Cost: O(members), one pass.
SELECT want FROM members WHERE group_id = ? AND want IS NOT NULL
