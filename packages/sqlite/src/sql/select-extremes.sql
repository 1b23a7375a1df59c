-- The smallest and largest of the times that members declare; asked for when one was removed.
-- Input: group_id. Output: smallestStaleMs, longestStaleMs, largestClockErrorMs, or nulls without members.
-- Cost: O(members), one pass.
SELECT min(stale_after_ms) AS smallestStaleMs, max(stale_after_ms) AS longestStaleMs, max(clock_error_ms) AS largestClockErrorMs
FROM members WHERE group_id = ?
