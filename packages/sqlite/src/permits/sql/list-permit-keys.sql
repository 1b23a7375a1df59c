-- A page of the keys, in order of their names.
-- Input: the name before the page, the most names. Output: name. Cost: O(log keys + names), in the index of names.
SELECT name FROM permit_keys WHERE name > ? ORDER BY name LIMIT ?
