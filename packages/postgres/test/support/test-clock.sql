-- Replaces the store's clock in {schema} by a table that tests write: what dt_clock_ms reads is clock_ms if set,
-- otherwise the server's clock moved by shift_ms.
CREATE TABLE {schema}.test_clock (clock_ms float8, shift_ms float8 NOT NULL);
INSERT INTO {schema}.test_clock VALUES (NULL, 0);
CREATE OR REPLACE FUNCTION {schema}.dt_clock_ms() RETURNS float8 LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  t {schema}.test_clock;
BEGIN
  SELECT * INTO t FROM {schema}.test_clock;
  RETURN coalesce(t.clock_ms, date_part('epoch', clock_timestamp()) * 1000 + t.shift_ms);
END $$;
