-- A new budget.
-- Input: name. Output: budgetId. Cost: O(log budgets), one row.
INSERT INTO budgets (name) VALUES (?) RETURNING budget_id AS budgetId
