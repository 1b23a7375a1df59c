-- Forgets a lease that is settled.
-- Input: budget_id, id. Output: none. Cost: O(log leases), one row, one index.
DELETE FROM budget_leases WHERE budget_id = ? AND id = ?
