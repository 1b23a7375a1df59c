-- Forgets the buckets between two places that mean nothing any more.
-- Input: name and key of the first place (not included), name and key of the last, the clock in ms. Output: none.
-- Cost: O(log buckets + buckets between), on pages that lie together.
DELETE FROM buckets WHERE (name, key) > (?, ?) AND (name, key) <= (?, ?) AND keep_until_ms < ?
