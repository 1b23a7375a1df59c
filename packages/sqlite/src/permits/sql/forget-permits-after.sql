-- Forgets a key's reservations whose last instant is after a time.
-- Input: key_id, time in ms. Output: none. Cost: O(permits of the key).
DELETE FROM permits WHERE key_id = ? AND granted > 0 AND max(earliest_ms, first_ms + (granted - 1) * step_ms) > ?
