-- A page of the buckets, in order of their names and keys.
-- Input: the name and the key before the page, the most rows. Output: name, key. Cost: O(log buckets + rows).
SELECT name, key FROM buckets WHERE (name, key) > (?, ?) ORDER BY name, key LIMIT ?
