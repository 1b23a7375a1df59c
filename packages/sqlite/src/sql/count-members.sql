-- How many members there are, the sum of what they hold, and how many hold or want what no member can; asked for before
-- a change of membership.
-- Input: group_id. Output: memberCount, held, damaged. Cost: O(members), one pass.
SELECT count(*) AS memberCount, total(held) AS held, count(*) FILTER (
  WHERE held NOT BETWEEN 0 AND 1000000000000 OR want NOT BETWEEN 0 AND 9007199254740991
) AS damaged
FROM members WHERE group_id = ?
