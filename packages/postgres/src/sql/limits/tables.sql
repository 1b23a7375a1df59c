-- Limits that live in the store (L1): one row for each. They change seldom, and are read by key.
CREATE TABLE {schema}.dt_limit (
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- The empty text for a limit without a key, and for that of all keys that have none of their own.
  key text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  -- The numbers by name, as JSON; null where the limit was removed.
  values text,
  -- The server's time from which they count no more; null for never.
  until_ms float8,
  -- The last changes, as JSON.
  history text NOT NULL,
  PRIMARY KEY (kind, name, key)
);

-- What a request with stored sees of a record: its state at a time (L3), its values, and what is wrong with it, or
-- null.
CREATE TYPE {schema}.dt_limit_head AS (
  state bigint,
  numbers text,
  fault text
);
