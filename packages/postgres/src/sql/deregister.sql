-- deregister: a member leaves; nothing happens when it is not there.
-- Input  group, incarnation, last level or null; observed store time and longest wait for the group's lock in
--        milliseconds; channel to notify, or null; epoch and tokens used as in sync
-- Cost   O(log n)
CREATE OR REPLACE FUNCTION {schema}.dt_deregister(
  p_group text, p_incarnation text, p_level float8, p_observed_ms float8, p_wait_ms integer, p_channel text,
  p_epoch bigint, p_used bigint
) RETURNS void LANGUAGE plpgsql SET enable_seqscan TO off SET enable_sort TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  m {schema}.dt_member;
BEGIN
  PERFORM {schema}.dt_durability(true);
  g := {schema}.dt_lock(p_group, p_wait_ms);
  IF g.group_id IS NULL THEN
    RETURN;
  END IF;
  g := {schema}.dt_settle({schema}.dt_advance(g, p_observed_ms));
  m := {schema}.dt_find_member(g.group_id, p_incarnation);
  IF m.incarnation IS NOT NULL THEN
    m.level := coalesce(p_level, m.level);
    g := {schema}.dt_recount(g);
    -- Read again: its rank may have changed.
    m.rank := ({schema}.dt_find_member(g.group_id, p_incarnation)).rank;
    g := {schema}.dt_remove_member(g, m, p_epoch, p_used);
    g := {schema}.dt_serve_slots({schema}.dt_membership_changed(g), p_channel);
  END IF;
  PERFORM {schema}.dt_put(g, p_channel);
END $$;
