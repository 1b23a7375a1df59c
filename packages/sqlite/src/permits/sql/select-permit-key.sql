-- What is known of a key.
-- Input: name. Output: its row, or none. Cost: O(log keys), one row.
SELECT key_id AS keyId, tat_ms AS tatMs, last_ms AS lastMs, offset_ms AS offsetMs, keep_until_ms AS keepUntilMs, terms, former_terms AS formerTerms,
  paused_until_ms AS pausedUntilMs, stored, ahead_until_ms AS aheadUntilMs
FROM permit_keys WHERE name = ?
