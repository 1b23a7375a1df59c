-- Forgets the levels of a group whose time is over.
-- Input: group_id, group time in ms. Output: none. Cost: O(log levels + rows found) (levels_by_time).
DELETE FROM levels WHERE group_id = ? AND until_ms <= ?
