-- Writes a limit record, new or not.
-- Input: the columns in this order. Output: none. Cost: O(log records), one row.
INSERT INTO limits (kind, name, key, revision, "values", until_ms, history) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (kind, name, key) DO UPDATE SET
  revision = excluded.revision, "values" = excluded."values", until_ms = excluded.until_ms, history = excluded.history
