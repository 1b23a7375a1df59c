-- What a member does, as JSON: tokens that it used, and tokens that its callers wait for (R27). A column without a
-- version of its own, as those of demand are: processes of before it came name the columns that they know, and go on
-- beside. Input: a file of version 2 without it, inside a write transaction. Output: the column. Cost: once in the life
-- of a file.
ALTER TABLE members ADD COLUMN activity TEXT
