-- Counts that instants were given back, for those who listen to the key.
-- Input: name. Output: none. Cost: O(log keys), one row, no index.
UPDATE permit_keys SET releases = releases + 1 WHERE name = ?
