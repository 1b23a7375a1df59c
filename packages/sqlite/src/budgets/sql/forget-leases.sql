-- Forgets leases whose time is over. At most one is new in each operation, so those that are over never become many.
-- Input: budget_id, the budget's time in ms. Output: none. Cost: O(log leases), a hundred rows at most
-- (budget_leases_by_time).
DELETE FROM budget_leases WHERE budget_id = ?1 AND id IN (
  SELECT id FROM budget_leases WHERE budget_id = ?1 AND forget_at_ms <= ?2 ORDER BY forget_at_ms LIMIT 100
)
