-- Writes what is known of a budget.
-- Input: row, keep_until_ms, budget_id. Output: none. Cost: one row, one index.
UPDATE budgets SET row = ?, keep_until_ms = ? WHERE budget_id = ?
