-- Forgets a key's reservations whose time is over.
-- Input: key_id, the key's time in ms. Output: none. Cost: O(log permits + rows found) (permits_by_time).
DELETE FROM permits WHERE key_id = ? AND forget_at_ms <= ?
