-- inspect: the whole ledger of a group, changing nothing.
-- Input  group
-- Output one row for each member in the order of ranks, with the group's values in front; a group without members has
--        one row with a null incarnation, a group that does not exist one with a null generation
-- Cost   O(members). STABLE, so that both statements see one snapshot
CREATE OR REPLACE FUNCTION {schema}.dt_inspect(p_group text) RETURNS TABLE (
  store_time_ms float8, group_generation bigint, capacity bigint, group_member_count bigint, adopted bigint, group_held bigint,
  interval_ms float8, group_age_ms float8, learning boolean, paused_for_ms float8, id text, incarnation text, rank bigint, generation bigint, member_count bigint,
  held bigint, max bigint, level float8, silent_ms float8, fenced boolean, want bigint,
  used bigint, waiting bigint, stored_revision bigint, stored_max bigint
) LANGUAGE plpgsql STABLE SET enable_seqscan TO off SET jit TO off AS $$
DECLARE
  g {schema}.dt_ledger;
  -- A quiet stretch up to now removes no member earlier, and all the same each of them was silent in it.
  lapsed float8;
BEGIN
  SELECT l.* INTO g FROM {schema}.dt_ledger l WHERE l.group_id = (SELECT n.id FROM {schema}.dt_group n WHERE n.name = p_group)
    ORDER BY l.turn DESC LIMIT 1;
  IF g.group_id IS NULL THEN
    store_time_ms := {schema}.dt_clock_ms();
    RETURN NEXT;
    RETURN;
  END IF;
  lapsed := g.lapsed_ms;
  g := {schema}.dt_advance(g, 0);
  RETURN QUERY SELECT
    g.last_ms, g.generation, g.capacity, g.member_count, g.adopted, g.held, g.interval_ms, g.last_ms - g.created_at_ms,
    {schema}.dt_learning(g), greatest(0, g.paused_until_ms - g.last_ms), m.id, m.incarnation, m.rank, m.generation, m.member_count, m.held, m.max, m.level,
    greatest(0, g.last_ms - lapsed - (m.expires_at_ms - m.stale_after_ms)), m.standing = 'fenced', m.want,
    m.used, m.waiting, g.stored_revision, g.stored_max
  FROM (VALUES (true)) one_row LEFT JOIN {schema}.dt_member m ON m.group_id = g.group_id ORDER BY m.rank;
END $$;
