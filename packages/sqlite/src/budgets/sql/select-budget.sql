-- What is known of a budget.
-- Input: name. Output: its row, or none. Cost: O(log budgets), one row.
SELECT budget_id AS budgetId, row, keep_until_ms AS keepUntilMs FROM budgets WHERE name = ?
