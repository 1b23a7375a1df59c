-- From version 7 to 8: a member that goes over to sharing evenly keeps no odd token and no rest (R23), and the age of
-- the
-- data is no interval of the server's clock any more (R8). Statements read dt_data alone, so that no other table has to
-- be locked, and processes of versions 3 to 7 go on.
ALTER TABLE {schema}.dt_data
  -- For how long the data was certainly whole, and a second (dt_proven_ms).
  ADD COLUMN lived_ms float8 NOT NULL DEFAULT 0,
  -- The server's time when that was last counted; null before the first time.
  ADD COLUMN looked_ms float8;

CREATE OR REPLACE FUNCTION {schema}.dt_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {schema}.dt_data (since_ms, losses) VALUES ({schema}.dt_clock_ms(), 1)
    ON CONFLICT (only_row) DO UPDATE SET since_ms = excluded.since_ms, losses = {schema}.dt_data.losses + 1, lived_ms = 0, looked_ms = NULL;
  RETURN NULL;
END $$;
