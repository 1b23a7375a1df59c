-- Forgets instants given back that are past, or lie before the end of a pause.
-- Input: key_id, the first time in ms that counts. Output: none. Cost: O(log instants + rows found).
DELETE FROM freed_permits WHERE key_id = ? AND at_ms < ?
