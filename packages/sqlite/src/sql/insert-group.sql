-- A new group, without members.
-- Input: name. Output: groupId. Cost: O(log groups), one row.
INSERT INTO groups (name) VALUES (?) RETURNING group_id AS groupId
