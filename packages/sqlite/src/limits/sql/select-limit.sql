-- A limit record.
-- Input: kind, name, key (empty for none). Output: its row, or none. Cost: O(log records), one row.
SELECT revision, "values", until_ms AS untilMs, history FROM limits WHERE kind = ? AND name = ? AND key = ?
