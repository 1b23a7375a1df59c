-- What rows say of demand (R21 to R25), as JSON: of a group how many want how much, with the generation that the counts
-- belong to; of a member its want and its turns. Columns without a version of their own: processes of
-- before they came name the columns that they know, and go on beside.
-- Input: a file of version 2 without them, inside a write transaction. Output: the columns. Cost: once in the life of a
-- file.
ALTER TABLE groups ADD COLUMN wants TEXT;
ALTER TABLE members ADD COLUMN demand TEXT
