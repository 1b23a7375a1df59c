-- How many members there are, the sum of what they hold, and how many hold what nobody can; asked for before a change
-- of membership.
-- Input: group_id. Output: poolSize, held, damaged. Cost: O(members), one pass.
SELECT count(*) AS poolSize, total(held) AS held, count(*) FILTER (WHERE held NOT BETWEEN 0 AND 1000000000000) AS damaged
FROM members WHERE group_id = ?
