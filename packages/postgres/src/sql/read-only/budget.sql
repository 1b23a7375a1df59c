-- inspect of a budget: what is known of it, changing nothing. A statement of its own, and no function.
-- Input  {budget}
-- Output for each limit the budget's row, its time now, and how many leases count then; and the limit's row (B12); the
--        copy of the limit record (B13). No row when there is no such budget. Refuses rows with numbers that are none
-- Cost   O(what the budget has). One statement, so that all of it is of one moment
SELECT
  s.last_ms, s.paused_until_ms, s.terms, s.former_terms, s.now_ms,
  (SELECT count(*) FROM {schema}.dt_budget_lease k WHERE k.budget_id = s.budget_id AND k.forget_at_ms > s.now_ms) AS open,
  l.name, l.max, l.window_ms, l.slots, l.units, l.pace_ms, l.latest_ms, l.surplus, l.variance, l.learned_ms,
  s.checked, {schema}.dt_budget_check_limit(l, (row_number() OVER (ORDER BY l.place))::integer, {budget}) AS limit_checked,
  s.stored_revision, (SELECT json_object_agg(u.name, u.max) FROM unnest(s.stored_names, s.stored_maxima) u(name, max))
FROM (
  SELECT r.*, ({schema}.dt_budget_advance(r)).last_ms AS now_ms, {schema}.dt_budget_check(r, {budget}) AS checked
  FROM {schema}.dt_budget_state r
  WHERE r.budget_id = (SELECT b.id FROM {schema}.dt_budget b WHERE b.name = {budget} COLLATE "C")
  ORDER BY r.turn DESC LIMIT 1
) s
JOIN {schema}.dt_budget_limit l ON l.budget_id = s.budget_id AND l.turn = s.turn
ORDER BY l.place
