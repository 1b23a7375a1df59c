-- What of a key counts at a time.
-- Input: key_id, the key's time in ms, and the time from which on instants given back count.
-- Output: known, freed, waiting. Cost: O(what the key has).
SELECT
  (SELECT count(*) FROM permits WHERE key_id = ?1 AND forget_at_ms > ?2) AS known,
  (SELECT count(*) FROM freed_permits WHERE key_id = ?1 AND at_ms >= ?3) AS freed,
  (SELECT count(*) FROM permit_queue WHERE key_id = ?1 AND until_ms > ?2) AS waiting
