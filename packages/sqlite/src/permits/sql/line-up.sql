-- Puts an id in line, at its end; one that is in line already keeps its place.
-- Input: key_id twice, id, until_ms. Output: none. Cost: O(log line), one row, one index.
INSERT INTO permit_line (key_id, place, id, until_ms)
VALUES (?, (SELECT coalesce(max(place), 0) + 1 FROM permit_line WHERE key_id = ?), ?, ?)
ON CONFLICT (key_id, id) DO UPDATE SET until_ms = excluded.until_ms
