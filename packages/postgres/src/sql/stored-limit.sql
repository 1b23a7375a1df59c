-- The limit of a group whose members have it in the store (R36). Port of @dt/core's stored-limit.ts.

-- The limit of a request with stored: the record's or, where none counts, the code's. Nulls for other requests. Read
-- once the group is locked: a later request never has an older record.
-- Cost: none, or one look-up by key.
CREATE OR REPLACE FUNCTION {schema}.dt_limit_for(p_group text, p_stored boolean, p_max bigint, OUT revision bigint, OUT max bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  head {schema}.dt_limit_head;
  numbers record;
BEGIN
  IF NOT p_stored THEN
    RETURN;
  END IF;
  head := {schema}.dt_limit_head('group', p_group, '', {schema}.dt_clock_ms());
  max := p_max;
  IF head.state > 0 THEN
    numbers := {schema}.dt_limit_numbers(head.numbers);
    IF (numbers.names = '{max}' AND numbers.amounts[1] BETWEEN 1 AND 1e12 AND numbers.amounts[1] = floor(numbers.amounts[1])) IS NOT TRUE THEN
      head.fault := {schema}.dt_limit_fault(head.numbers);
    ELSE
      max := numbers.amounts[1];
    END IF;
  END IF;
  IF head.fault IS NOT NULL THEN
    RAISE EXCEPTION '%|', head.fault USING ERRCODE = 'DT004';
  END IF;
  revision := head.state;
END $$;

-- The group without a copy that no member has any more. Cost: none, or one index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_keep_copy(g {schema}.dt_ledger) RETURNS {schema}.dt_ledger LANGUAGE plpgsql AS $$
BEGIN
  IF g.stored_revision IS NOT NULL AND NOT EXISTS (SELECT FROM {schema}.dt_member WHERE group_id = g.group_id AND max IS NULL) THEN
    g.stored_revision := NULL;
    g.stored_max := NULL;
  END IF;
  RETURN g;
END $$;

-- The capacity (R6, R36): the smaller one of the copy and of what members without stored declare; 0 for neither. Cost:
-- one index look-up.
CREATE OR REPLACE FUNCTION {schema}.dt_capacity_of(g {schema}.dt_ledger) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  smallest bigint;
BEGIN
  -- Members with stored have a null, which comes last.
  SELECT max INTO smallest FROM {schema}.dt_member WHERE group_id = g.group_id ORDER BY max LIMIT 1;
  -- least() passes over a null.
  RETURN coalesce(least(g.stored_max, smallest), 0);
END $$;
