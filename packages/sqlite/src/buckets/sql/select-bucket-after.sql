-- The bucket that comes so many places after another one, in order of names and keys.
-- Input: name, key, places less 1. Output: name, key, or none. Cost: O(log buckets + places), on pages that lie
-- together.
SELECT name, key FROM buckets WHERE (name, key) > (?, ?) ORDER BY name, key LIMIT 1 OFFSET ?
