-- How many members there are, and the sum of what they hold; asked for before a change of membership.
-- Input: group_id. Output: poolSize, held. Cost: O(members), one pass.
SELECT count(*) AS poolSize, total(held) AS held FROM members WHERE group_id = ?
