-- The machine's clock, read after the lock was taken, so that the order of times is the order of transactions.
-- Input: none. Output: nowMs. Cost: O(1), no table.
SELECT round(unixepoch('subsec') * 1000) AS nowMs
