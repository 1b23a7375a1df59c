-- Writes what is known of a bucket, new or not.
-- Input: the columns in this order. Output: none. Cost: O(log buckets), one row, no index.
INSERT INTO buckets (name, key, row, keep_until_ms) VALUES (?, ?, ?, ?)
ON CONFLICT (name, key) DO UPDATE SET row = excluded.row, keep_until_ms = excluded.keep_until_ms
