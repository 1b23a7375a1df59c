-- Forgets a bucket.
-- Input: name, key. Output: none. Cost: O(log buckets), one row.
DELETE FROM buckets WHERE name = ? AND key = ?
