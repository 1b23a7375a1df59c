-- The level remembered for an id.
-- Input: group_id, id, group time in ms. Output: level, or none. Cost: O(log levels), one row.
SELECT level FROM levels WHERE group_id = ? AND id = ? AND until_ms > ?
