-- Forgets keys of which nothing is to come, with all they had (ON DELETE CASCADE). Run when a key is new, so that the
-- dead never outnumber those in use.
-- Input: the clock in ms. Output: none. Cost: O(log keys), two keys at most (permit_keys_by_time).
DELETE FROM permit_keys WHERE key_id IN (SELECT key_id FROM permit_keys WHERE keep_until_ms < ? ORDER BY keep_until_ms LIMIT 2)
