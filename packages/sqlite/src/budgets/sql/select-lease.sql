-- A lease that is known, by its id.
-- Input: budget_id, id, the budget's time in ms. Output: lease, or none. Cost: O(log leases), one row.
SELECT lease FROM budget_leases WHERE budget_id = ? AND id = ? AND forget_at_ms > ?
