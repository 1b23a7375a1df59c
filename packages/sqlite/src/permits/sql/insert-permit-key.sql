-- A new key.
-- Input: name. Output: keyId. Cost: O(log keys), one row.
INSERT INTO permit_keys (name) VALUES (?) RETURNING key_id AS keyId
