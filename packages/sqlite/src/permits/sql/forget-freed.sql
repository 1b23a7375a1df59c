-- Forgets instants given back that are past.
-- Input: key_id, the key's time in ms. Output: none. Cost: O(log instants + rows found).
DELETE FROM freed_permits WHERE key_id = ? AND at_ms < ?
