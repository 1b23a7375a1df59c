-- Forgets budgets that mean nothing any more, with their leases (ON DELETE CASCADE). Run when a budget is new, so that
-- the dead never outnumber those in use.
-- Input: the clock in ms. Output: none. Cost: O(log budgets), two budgets at most (budgets_by_time).
DELETE FROM budgets WHERE budget_id IN (SELECT budget_id FROM budgets WHERE keep_until_ms < ? ORDER BY keep_until_ms LIMIT 2)
