-- What is known of a bucket.
-- Input: name, key. Output: its row, or none. Cost: O(log buckets), one row.
SELECT row, keep_until_ms AS keepUntilMs FROM buckets WHERE name = ? AND key = ?
