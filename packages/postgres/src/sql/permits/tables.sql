-- The tables and types of permits. Times are milliseconds on the key's time (dt_clock_ms() plus offset_ms), except
-- keep_until_ms, which is on the server's clock. Searches name their index by the order they ask for, and skip what was
-- deleted (swept_ms, freed_from_ms, queue_from), since rows that no vacuum has removed yet would be walked over
-- otherwise, as long as an old transaction is open: see tables.sql.

-- Names of keys; a row never changes.
CREATE TABLE {schema}.dt_permit_key (
  name text COLLATE "C" PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE
);

-- One row for each key: its lock, its clock and its timestamp.
CREATE TABLE {schema}.dt_permit_state (
  key_id bigint NOT NULL,
  -- Moves on with every 256th write, as in dt_ledger.
  turn bigint NOT NULL,
  writes bigint NOT NULL,
  -- Theoretical arrival time: when the next permit is due if nothing is idle.
  tat_ms float8 NOT NULL,
  last_ms float8 NOT NULL,
  offset_ms float8 NOT NULL,
  -- No reservation is to be forgotten before this.
  swept_ms float8 NOT NULL,
  -- No instant given back is before this.
  freed_from_ms float8 NOT NULL,
  -- The last place given, in the queue or among instants given back; and the first that may still be in the queue.
  place bigint NOT NULL,
  queue_from bigint NOT NULL,
  -- The key's time after which nothing of it matters.
  needed_ms float8 NOT NULL,
  -- The key may be forgotten after this time on the server's clock.
  keep_until_ms float8 NOT NULL,
  -- What must match among the users of the key, and what that took the place of; null where no request named any.
  terms text,
  former_terms text,
  -- No instant lies before this; null where there never was a pause.
  paused_until_ms float8,
  -- The copy of the limit record (P16): of which state it is, and its numbers; nulls where no request had stored.
  stored_revision bigint,
  stored_every_ms float8,
  stored_burst float8,
  -- Up to when instants are reserved ahead, with their distance, since there is a copy.
  ahead_until_ms float8,
  PRIMARY KEY (key_id, turn)
) WITH (fillfactor = 25);
CREATE INDEX dt_permit_state_keep ON {schema}.dt_permit_state (keep_until_ms);

-- Reservations that are still known.
CREATE TABLE {schema}.dt_permit (
  key_id bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  granted integer NOT NULL,
  first_ms float8 NOT NULL,
  step_ms float8 NOT NULL,
  earliest_ms float8 NOT NULL,
  -- Null for an instant that had been given back.
  tat_before_ms float8,
  forget_at_ms float8 NOT NULL,
  PRIMARY KEY (key_id, id)
);
CREATE INDEX dt_permit_forget ON {schema}.dt_permit (key_id, forget_at_ms);

-- Instants that were given back.
CREATE TABLE {schema}.dt_permit_freed (
  key_id bigint NOT NULL,
  at_ms float8 NOT NULL,
  place bigint NOT NULL,
  -- The distance that it keeps to the next.
  width_ms float8 NOT NULL,
  PRIMARY KEY (key_id, at_ms, place)
);

-- Requests that were refused and wait for their turn.
CREATE TABLE {schema}.dt_permit_queue (
  key_id bigint NOT NULL,
  place bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  until_ms float8 NOT NULL,
  PRIMARY KEY (key_id, place),
  UNIQUE (key_id, id)
);

-- The answer to a request for permits. other_terms: the terms of the key, when the request was refused because it has
-- others. paused_for_ms: what is left of a pause, null where there is none. limit_every_ms, limit_burst: the numbers in
-- force, nulls where the key has no stored limit.
CREATE TYPE {schema}.dt_reservation AS (
  granted integer,
  first_ms float8,
  step_ms float8,
  earliest_ms float8,
  retry_after_ms float8,
  reserved_ahead float8,
  store_time_ms float8,
  other_terms text,
  paused_for_ms float8,
  limit_every_ms float8,
  limit_burst float8
);

-- What is asked of a key.
CREATE TYPE {schema}.dt_permit_request AS (
  id text,
  count integer,
  cost float8,
  every_ms float8,
  burst float8,
  max_reserved float8,
  keep_ms float8,
  queue_ms float8
);
