-- What a group's row says of freed tokens (R20), as JSON: the numbers, and the row that they belong to. A column
-- without a version of its own: processes of before it came name the columns that they know, and go on beside.
-- Input: a file of version 2 without it, inside a write transaction. Output: the column. Cost: once in the life of a
-- file.
ALTER TABLE groups ADD COLUMN freed TEXT
