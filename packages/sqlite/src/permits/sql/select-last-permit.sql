-- The latest instant of a key's reservations, their smallest distance, and when the last of them is forgotten.
-- Input: key_id. Output: atMs, widthMs, forgetAtMs; nulls when there is none. Cost: O(permits of the key).
SELECT max(max(earliest_ms, first_ms + (granted - 1) * step_ms)) AS atMs, min(step_ms) AS widthMs, max(forget_at_ms) AS forgetAtMs
FROM permits WHERE key_id = ? AND granted > 0
