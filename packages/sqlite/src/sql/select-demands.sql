-- What the members' rows say of demand; asked for before a change of membership.
-- Input: group_id. Output: demand of each that shares by it. Cost: O(members), one pass.
SELECT demand FROM members WHERE group_id = ? AND demand IS NOT NULL
