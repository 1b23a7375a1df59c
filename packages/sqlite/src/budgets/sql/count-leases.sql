-- How many leases are known at a time.
-- Input: budget_id, the budget's time in ms. Output: open. Cost: O(leases of the budget) (budget_leases_by_time).
SELECT count(*) AS open FROM budget_leases WHERE budget_id = ? AND forget_at_ms > ?
