-- Puts an id in the queue, at its end; one that is in the queue already keeps its place.
-- Input: key_id twice, id, until_ms. Output: none. Cost: O(log queue), one row, one index.
INSERT INTO permit_queue (key_id, place, id, until_ms)
VALUES (?, (SELECT coalesce(max(place), 0) + 1 FROM permit_queue WHERE key_id = ?), ?, ?)
ON CONFLICT (key_id, id) DO UPDATE SET until_ms = excluded.until_ms
