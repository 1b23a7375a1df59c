-- Forgets a budget with its leases (ON DELETE CASCADE).
-- Input: name. Output: none. Cost: O(leases of the budget).
DELETE FROM budgets WHERE name = ?
