-- The record of a limit as a request with stored sees it. Ports of @dt/core's limits/limit-state.ts and of parts of its
-- limits/limit-codec.ts.

-- The record at a time: its state is its revision while its values count, the negative one once they were removed or
-- their time is over, and 0 where there is no record. Cost: one look-up by key.
CREATE OR REPLACE FUNCTION {schema}.dt_limit_head(p_kind text, p_name text, p_key text, p_clock_ms float8)
RETURNS {schema}.dt_limit_head LANGUAGE plpgsql STABLE AS $$
DECLARE
  l {schema}.dt_limit;
BEGIN
  SELECT * INTO l FROM {schema}.dt_limit WHERE kind = p_kind AND name = p_name AND key = p_key;
  RETURN CASE
    WHEN l.kind IS NULL THEN (0, NULL, NULL)::{schema}.dt_limit_head
    WHEN l.revision NOT BETWEEN 1 AND 9007199254740991 THEN (NULL, NULL, 'revision ' || l.revision)::{schema}.dt_limit_head
    WHEN l.until_ms NOT BETWEEN 0 AND 1e16 THEN (NULL, NULL, 'untilMs ' || l.until_ms)::{schema}.dt_limit_head
    WHEN l.values IS NULL OR p_clock_ms >= l.until_ms THEN (-l.revision, NULL, NULL)::{schema}.dt_limit_head
    ELSE (l.revision, l.values, NULL)::{schema}.dt_limit_head
  END;
END $$;

-- What is wrong with a record whose values are not those of its kind.
CREATE OR REPLACE FUNCTION {schema}.dt_limit_fault(p_values text) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$ SELECT 'values ' || left(to_json(p_values)::text, 40) $$;

-- The names and numbers in the values of a record; nulls where they are something else.
CREATE OR REPLACE FUNCTION {schema}.dt_limit_numbers(p_values text, OUT names text[], OUT amounts float8[]) LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  -- A name that comes twice has its last value.
  IF (SELECT bool_and(jsonb_typeof(e.value) = 'number') FROM jsonb_each(p_values::jsonb) e) THEN
    SELECT array_agg(e.key), array_agg(e.value::text::float8) INTO names, amounts FROM jsonb_each(p_values::jsonb) e;
  END IF;
EXCEPTION WHEN data_exception THEN
  names := NULL;
  amounts := NULL;
END $$;
