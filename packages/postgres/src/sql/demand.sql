-- Shares that follow demand (R21 to R23). Port of @dt/core's wants.ts, water-level.ts and demand.ts. A group's row says
-- how many members want how much, so that nothing here but dt_totals reads a member. Costs are O(different wants), of
-- which there are 304 at most. Nothing is negative: division of whole numbers rounds down.

-- The next want on the grid that is not below so many tokens; null for null.
CREATE OR REPLACE FUNCTION {schema}.dt_want_on_grid(p_tokens bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  step bigint := 1;
BEGIN
  WHILE p_tokens >= 16 * step LOOP
    step := 2 * step;
  END LOOP;
  RETURN (p_tokens + step - 1) / step * step;
END $$;

-- Where a want stands in the counts, or would stand.
CREATE OR REPLACE FUNCTION {schema}.dt_want_place(p_wants bigint[], p_want bigint) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  place integer := 1;
BEGIN
  WHILE p_wants[place] < p_want LOOP
    place := place + 2;
  END LOOP;
  RETURN place;
END $$;

-- The counts with p_by more members that want this much; the same for a null.
CREATE OR REPLACE FUNCTION {schema}.dt_counted(p_wants bigint[], p_want bigint, p_by integer) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  place integer := {schema}.dt_want_place(p_wants, p_want);
  known boolean := coalesce(p_wants[place] = p_want, false);
  members bigint := p_by + CASE WHEN known THEN p_wants[place + 1] ELSE 0 END;
BEGIN
  IF p_want IS NULL THEN
    RETURN p_wants;
  END IF;
  RETURN p_wants[: place - 1] || CASE WHEN members > 0 THEN array[p_want, members] ELSE '{}' END
    || p_wants[CASE WHEN known THEN place + 2 ELSE place END :];
END $$;

-- What the members' rows come to: how many there are, what they hold, and how many want how much. Cost: O(members).
CREATE OR REPLACE FUNCTION {schema}.dt_totals(p_group_id bigint, OUT members bigint, OUT tokens bigint, OUT wants bigint[]) LANGUAGE plpgsql AS $$
BEGIN
  SELECT coalesce(sum(c.members), 0), coalesce(sum(c.tokens), 0),
      array(SELECT unnest(array_agg(array[c.want, c.members] ORDER BY c.want) FILTER (WHERE c.want IS NOT NULL)))
    INTO members, tokens, wants
    FROM (
      SELECT m.want, count(*) AS members, sum(m.held) AS tokens FROM {schema}.dt_member m WHERE m.group_id = p_group_id GROUP BY m.want
    ) c;
END $$;

-- How many members share by demand.
CREATE OR REPLACE FUNCTION {schema}.dt_wanting(p_wants bigint[]) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  members bigint := 0;
BEGIN
  FOR i IN 2 .. cardinality(p_wants) BY 2 LOOP
    members := members + p_wants[i];
  END LOOP;
  RETURN members;
END $$;

-- True where members that share evenly take turns like the others, since their even part is 0 (R23).
CREATE OR REPLACE FUNCTION {schema}.dt_turns(g {schema}.dt_ledger) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT g.capacity < g.member_count AND g.wants <> '{}' $$;

-- How the capacity is divided by what members want (R21): the water level by one scan of the counts. Members that share
-- evenly get their even part first; where that is 0, each counts as wanting 1.
CREATE OR REPLACE FUNCTION {schema}.dt_divide(g {schema}.dt_ledger) RETURNS {schema}.dt_division LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  wants bigint[] := g.wants;
  keep bigint := g.capacity / 50;
  wanting bigint := {schema}.dt_wanting(wants);
  even bigint := greatest(0, g.member_count - wanting);
  parts bigint;
  below bigint := 0;
  due bigint;
  w {schema}.dt_division;
BEGIN
  w.reserve := keep / g.member_count;
  w.kept := CASE WHEN w.reserve = 0 AND wants[1] = 0 THEN least(keep, wants[2]) ELSE 0 END;
  parts := g.capacity - w.kept - even * (g.capacity / g.member_count);
  w.takers := wanting;
  IF even > 0 AND {schema}.dt_turns(g) THEN
    wants := {schema}.dt_counted(wants, 1, even::integer);
    w.takers := g.member_count;
  END IF;
  FOR i IN 1 .. cardinality(wants) BY 2 LOOP
    due := greatest(w.reserve, least(g.capacity, wants[i]));
    -- below + takers * due > parts, without a product that could be too large.
    IF due > (parts - below) / w.takers THEN
      w.scarce := true;
      w.water_level := (parts - below) / w.takers;
      w.extra := 0;
      w.spare := 0;
      w.odd := parts - below - w.takers * w.water_level;
      RETURN w;
    END IF;
    below := below + wants[i + 1] * due;
    w.takers := w.takers - wants[i + 1];
  END LOOP;
  w.scarce := false;
  w.water_level := g.capacity;
  w.spare := parts - below;
  -- One half is handed out, the other stays free for the member that wants more next: none, where one member is alone.
  -- One token for each, if there are so many.
  w.extra := CASE WHEN g.member_count = 1 THEN w.spare ELSE greatest(w.spare / 2 / g.member_count, CASE WHEN w.spare >= g.member_count THEN 1 ELSE 0 END) END;
  w.odd := 0;
  RETURN w;
END $$;

-- What a member is due that wants this much, without what it gets on top (R22).
CREATE OR REPLACE FUNCTION {schema}.dt_need(w {schema}.dt_division, p_want bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
  $$ SELECT least(greatest(p_want, w.reserve), w.water_level) $$;

-- True while a member was answered less than it needs, a sync interval of the asking member ago at most.
CREATE OR REPLACE FUNCTION {schema}.dt_hungry(g {schema}.dt_ledger, p_sync_ms float8) RETURNS boolean LANGUAGE sql IMMUTABLE AS
  $$ SELECT coalesce(g.last_ms - g.hungry_ms < 1.1::float8 * p_sync_ms + 200, false) $$;

-- What hungry_ms is after a member that needs p_need was answered p_held: the time now when that is less, by more than
-- a sixteenth, and the time was not noted just now. Syncs come a little early: of one that starves on end not only
-- every second one is to count.
CREATE OR REPLACE FUNCTION {schema}.dt_hunger(g {schema}.dt_ledger, p_held bigint, p_need bigint, p_sync_ms float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN {schema}.dt_learning(g) OR p_held >= p_need - p_need / 16 OR g.last_ms - g.hungry_ms < 0.75::float8 * least(1000, p_sync_ms) THEN g.hungry_ms
    ELSE g.last_ms
  END
$$;

-- What a member that shares by demand is to be raised by, and whether one of the tokens is an odd one (R22, R23): such
-- a token goes to a member at the water level that has rested, or to any member when one lies idle.
-- p_unspent: free tokens that no member has used in freed_epoch.
CREATE OR REPLACE FUNCTION {schema}.dt_demand_raise(
  g {schema}.dt_ledger, m {schema}.dt_member, w {schema}.dt_division, p_unspent bigint, p_sync_ms float8, OUT tokens bigint, OUT odd boolean
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- One that shares evenly is here where it takes turns, and counts as wanting 1.
  want bigint := coalesce(m.want, 1);
  need bigint := {schema}.dt_need(w, want);
  free bigint := g.capacity - g.held - CASE WHEN m.held < greatest(1, w.reserve) THEN 0 ELSE w.kept END;
BEGIN
  tokens := 0;
  odd := false;
  IF free <= 0 OR {schema}.dt_learning(g) THEN
    RETURN;
  END IF;
  IF m.held < need + (CASE WHEN g.member_count = 1 THEN w.extra ELSE (w.extra + 1) / 2 END) THEN
    tokens := least(free, need + w.extra - m.held);
  END IF;
  IF w.odd > 0 AND free > tokens AND m.held + tokens = w.water_level AND want > w.water_level AND NOT {schema}.dt_hungry(g, p_sync_ms)
    AND (g.last_ms >= m.rest_until_ms OR p_unspent > tokens AND g.last_ms - m.gave_up_ms >= g.interval_ms) THEN
    tokens := tokens + 1;
    odd := true;
  END IF;
END $$;

-- A member that holds an odd token has given tokens up: it rests until others have had their turn (R23).
CREATE OR REPLACE FUNCTION {schema}.dt_end_turn(g {schema}.dt_ledger, m {schema}.dt_member, p_sync_ms float8) RETURNS {schema}.dt_member LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  w {schema}.dt_division := {schema}.dt_divide(g);
  others float8 := CASE WHEN w.odd > 0 THEN w.takers::float8 / w.odd - 1 ELSE 0 END;
BEGIN
  m.odd := false;
  m.gave_up_ms := g.last_ms;
  m.rest_until_ms := g.last_ms + 0.9::float8 * others * p_sync_ms * greatest(1, w.water_level);
  RETURN m;
END $$;

-- One that shares evenly does not know of turns: its own is over with the first report which says that it has used
-- something, or when the token was there for an interval. It is entitled to the token no more then, and gives it up.
CREATE OR REPLACE FUNCTION {schema}.dt_limit_even_turn(g {schema}.dt_ledger, m {schema}.dt_member, p_used bigint) RETURNS {schema}.dt_member LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF NOT {schema}.dt_turns(g) THEN
    m.odd := false;
    m.gave_up_ms := 0;
    m.rest_until_ms := 0;
  ELSIF m.odd AND p_used > 0 THEN
    m.rest_until_ms := least(m.rest_until_ms, g.last_ms);
  END IF;
  RETURN m;
END $$;
