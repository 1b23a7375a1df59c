-- Takes out the earliest instant given back that is large enough.
-- Input: key_id twice, width_ms. Output: atMs, widthMs, or none. Cost: O(log instants + those that come before it and
-- are too small).
DELETE FROM freed_permits WHERE key_id = ? AND (at_ms, place) IN (
  SELECT at_ms, place FROM freed_permits WHERE key_id = ? AND width_ms >= ? ORDER BY at_ms, place LIMIT 1
) RETURNING at_ms AS atMs, width_ms AS widthMs
