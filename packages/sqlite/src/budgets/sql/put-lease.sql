-- Writes a lease. One of the same id whose time is over is replaced.
-- Input: budget_id, id, forget_at_ms, lease. Output: none. Cost: O(log leases), one row, one index.
INSERT OR REPLACE INTO budget_leases (budget_id, id, forget_at_ms, lease) VALUES (?, ?, ?, ?)
