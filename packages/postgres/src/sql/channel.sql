-- Hints by LISTEN / NOTIFY.

-- The name of the channel of a group's hints, or of those of a key's permits: a program that may not read dt_data
-- cannot guess it, and so cannot give hints. p_name: what the client calls it. Cost: one index look-up. SHA-256 by
-- PostgreSQL itself.
CREATE OR REPLACE FUNCTION {schema}.dt_channel(p_name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  secret text;
BEGIN
  SELECT hint_secret INTO secret FROM {schema}.dt_data WHERE only_row;
  IF secret IS NULL THEN
    INSERT INTO {schema}.dt_data (since_ms, losses) VALUES ({schema}.dt_clock_ms(), 1) ON CONFLICT DO NOTHING;
    SELECT hint_secret INTO secret FROM {schema}.dt_data WHERE only_row;
  END IF;
  -- Names of channels are identifiers: 63 bytes at most.
  RETURN 'dt_' || left(encode(sha256(convert_to(secret || p_name, 'UTF8')), 'hex'), 40);
END $$;

-- Tells those that listen; does nothing when p_name is null.
CREATE OR REPLACE FUNCTION {schema}.dt_hint(p_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_name IS NOT NULL THEN
    PERFORM pg_notify({schema}.dt_channel(p_name), '');
  END IF;
END $$;
