-- What a request with a stored limit reads of the record.
-- Input: kind, name, key (empty for none). Output: its row without its history, or none. Cost: O(log records), one row.
SELECT revision, "values", until_ms AS untilMs FROM limits WHERE kind = ? AND name = ? AND key = ?
