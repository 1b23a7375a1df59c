-- A page of the budgets, in order of their names.
-- Input: the name before the page, the most names. Output: name. Cost: O(log budgets + names), in the index of names.
SELECT name FROM budgets WHERE name > ? ORDER BY name LIMIT ?
