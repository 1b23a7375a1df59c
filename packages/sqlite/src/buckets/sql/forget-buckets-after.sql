-- Forgets the buckets after a place that mean nothing any more.
-- Input: name, key, the clock in ms. Output: none. Cost: O(log buckets + buckets after it), on pages that lie together.
DELETE FROM buckets WHERE (name, key) > (?, ?) AND keep_until_ms < ?
