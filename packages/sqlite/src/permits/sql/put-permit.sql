-- Writes a reservation, new or not.
-- Input: the columns in this order. Output: none. Cost: O(log permits), one row, one index.
INSERT INTO permits (key_id, id, granted, first_ms, step_ms, earliest_ms, tat_before_ms, forget_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key_id, id) DO UPDATE SET granted = excluded.granted
