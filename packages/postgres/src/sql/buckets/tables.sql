-- The tables and types of buckets. Times are milliseconds on the bucket's time (dt_clock_ms() plus offset_ms), except
-- keep_until_ms and those of dt_bucket_sweep, which are on the server's clock. Amounts are doubles, as in @dt/core.

-- Units that a process has in hand.
CREATE TYPE {schema}.dt_bucket_hold AS (
  id text COLLATE "C",
  seq float8,
  spent float8,
  units float8,
  until_ms float8,
  -- What the newest request was answered.
  granted float8,
  first_ms float8,
  wait_ms float8,
  -- True where it waits for want of a slot.
  busy boolean
);

-- A slot in use.
CREATE TYPE {schema}.dt_bucket_slot AS (
  id text COLLATE "C",
  until_ms float8
);

-- One row for each bucket, which is its lock, its clock and all that it holds. A row is small and alone, since most
-- buckets are used once and forgotten. Half of a page stays free, so that an update of a bucket in use is HOT.
CREATE TABLE {schema}.dt_bucket (
  name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  -- Moves on with every 256th write, as in dt_ledger.
  turn bigint NOT NULL,
  writes bigint NOT NULL,
  last_ms float8 NOT NULL,
  offset_ms float8 NOT NULL,
  -- The limit in force: max is 0 where only hits were counted, concurrent 0 where any number is allowed.
  max float8 NOT NULL,
  window_ms float8 NOT NULL,
  burst float8 NOT NULL,
  concurrent float8 NOT NULL,
  -- Units that were taken and have not come back.
  used float8 NOT NULL,
  hits float8 NOT NULL,
  hits_until_ms float8 NOT NULL,
  holds {schema}.dt_bucket_hold[] NOT NULL,
  slots {schema}.dt_bucket_slot[] NOT NULL,
  -- The four numbers of the limit that the one of before took the place of; null where it took no other's place.
  former float8[],
  -- The copy of the limit record: of which state it is, and its four numbers; and the limit of the requests without
  -- stored, and when the last of them came. Nulls until a request with stored comes.
  stored_revision bigint,
  stored float8[],
  declared float8[],
  declared_ms float8,
  -- The bucket may be forgotten after this time on the server's clock.
  keep_until_ms float8 NOT NULL,
  PRIMARY KEY (name, key, turn)
) WITH (fillfactor = 50);
CREATE INDEX dt_bucket_keep ON {schema}.dt_bucket (keep_until_ms);

-- How far buckets that mean nothing any more were removed; one row.
CREATE TABLE {schema}.dt_bucket_sweep (
  -- Moves on with every 256th write, as in dt_ledger.
  turn bigint PRIMARY KEY,
  writes bigint NOT NULL,
  -- No call looks before this.
  next_ms float8 NOT NULL,
  -- No bucket is kept until before this; looked for anew once a minute, since calls pass over what others lock.
  swept_ms float8 NOT NULL,
  anew_ms float8 NOT NULL
);
INSERT INTO {schema}.dt_bucket_sweep VALUES (0, 0, 0, 0, 0);

-- A request, in JSON by these names. Absent parts are null. place: where it stands among the requests, from 1 on.
CREATE TYPE {schema}.dt_bucket_request AS (
  place integer,
  name text COLLATE "C",
  key text COLLATE "C",
  max float8,
  window_ms float8,
  burst float8,
  -- 0 where any number is allowed.
  concurrent float8,
  -- The four numbers of the limit that this one takes the place of.
  former float8[],
  stored boolean,
  cost float8,
  max_wait_ms float8,
  ahead float8,
  ahead_within_ms float8,
  slot_id text COLLATE "C",
  slot_ms float8,
  hold_id text COLLATE "C",
  seq float8,
  spent float8,
  keep float8,
  for_ms float8,
  renew text[] COLLATE "C",
  renew_ms float8,
  release text[] COLLATE "C",
  hits_window_ms float8,
  hits_by float8
);

-- The answer to a request. place: the request's. limited_by: rate, concurrent, or null. lost: places in the request's
-- list of slots to renew, from 1 on. max: 0 where only hits were counted. refusal: null where the request was served;
-- 'limit' where the bucket is in use with another limit, which is the one answered; 'record' where the record of the
-- limit is damaged, and 'row' where the bucket's row is: fault is what is wrong with it then.
CREATE TYPE {schema}.dt_bucket_answer AS (
  place integer,
  granted float8,
  first_ms float8,
  wait_ms float8,
  limited_by text,
  max float8,
  window_ms float8,
  burst float8,
  concurrent float8,
  every_ms float8,
  remaining float8,
  reset_ms float8,
  in_hand float8,
  in_flight integer,
  lost bigint[],
  hits float8,
  hits_reset_ms float8,
  store_time_ms float8,
  refusal text,
  fault text
);
