-- A page of the groups, in order of their names.
-- Input: the name before the page, the most names. Output: name. Cost: O(log groups + names), in the index of names.
SELECT name FROM groups WHERE name > ? ORDER BY name LIMIT ?
