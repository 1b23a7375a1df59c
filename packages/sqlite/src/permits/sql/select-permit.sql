-- A reservation by its request's id.
-- Input: key_id, id. Output: its row, or none. Cost: O(log permits), one row.
SELECT id, granted, first_ms AS firstMs, step_ms AS stepMs, earliest_ms AS earliestMs, tat_before_ms AS tatBeforeMs, forget_at_ms AS forgetAtMs
FROM permits WHERE key_id = ? AND id = ?
