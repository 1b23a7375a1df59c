-- The tables and types of budgets. Times are milliseconds on the budget's time (dt_clock_ms() plus offset_ms), except
-- keep_until_ms, which is on the server's clock. Searches name their index by the order they ask for, and skip what was
-- deleted (swept_ms), since rows that no vacuum has removed yet would be walked over otherwise, as long as an old
-- transaction is open: see tables.sql of the groups.

-- Names of budgets; a row never changes.
CREATE TABLE {schema}.dt_budget (
  name text COLLATE "C" PRIMARY KEY,
  id bigint GENERATED ALWAYS AS IDENTITY UNIQUE
);

-- One row for each budget: its lock and its clock.
CREATE TABLE {schema}.dt_budget_state (
  budget_id bigint NOT NULL,
  -- Moves on with every 256th write, as in dt_ledger.
  turn bigint NOT NULL,
  writes bigint NOT NULL,
  last_ms float8 NOT NULL,
  offset_ms float8 NOT NULL,
  -- No reservation begins before this.
  paused_until_ms float8 NOT NULL,
  -- No lease is to be forgotten before this.
  swept_ms float8 NOT NULL,
  -- The budget's time after which nothing of it matters.
  needed_ms float8 NOT NULL,
  -- The budget may be forgotten after this time on the server's clock.
  keep_until_ms float8 NOT NULL,
  -- What must match among the users of the budget, and what that took the place of; null where no request named any.
  terms text,
  former_terms text,
  -- The copy of the limit record (B13): of which state it is, and the max of each limit by its name; nulls where no
  -- request had stored.
  stored_revision bigint,
  stored_names text[] COLLATE "C",
  stored_maxima float8[],
  PRIMARY KEY (budget_id, turn)
) WITH (fillfactor = 25);
CREATE INDEX dt_budget_state_keep ON {schema}.dt_budget_state (keep_until_ms);

-- The limits of a budget, in the order in which they were first declared. A full window has 241 slots, which is half a
-- page: with the rest of the page free an update is HOT. What is larger (reservations far ahead) is compressed to that.
-- What a call changes, the units of the last slot and what follows them, is all that its update adds to the log.
CREATE TABLE {schema}.dt_budget_limit (
  budget_id bigint NOT NULL,
  -- That of the budget's row: the rows of a budget move on together with it.
  turn bigint NOT NULL,
  -- From 1 on.
  place integer NOT NULL,
  name text COLLATE "C" NOT NULL,
  -- As the last request declared them.
  max float8 NOT NULL,
  window_ms float8 NOT NULL,
  -- Slots that have charges, in their order, and the units charged in each.
  slots float8[] NOT NULL,
  units float8[] NOT NULL,
  -- For each tier, when its next call is due if none is idle.
  pace_ms float8[] NOT NULL,
  -- The latest instant that was reserved.
  latest_ms float8 NOT NULL,
  -- How far estimates are off together: the mean, the square of the spread, and when the two were brought up to date.
  surplus float8 NOT NULL,
  variance float8 NOT NULL,
  learned_ms float8 NOT NULL,
  PRIMARY KEY (budget_id, turn, place)
) WITH (fillfactor = 10, toast_tuple_target = 4080);
ALTER TABLE {schema}.dt_budget_limit ALTER COLUMN name SET STORAGE MAIN;
ALTER TABLE {schema}.dt_budget_limit ALTER COLUMN pace_ms SET STORAGE MAIN;
ALTER TABLE {schema}.dt_budget_limit ALTER COLUMN slots SET STORAGE MAIN;
ALTER TABLE {schema}.dt_budget_limit ALTER COLUMN units SET STORAGE MAIN;

-- Leases: costs that are reserved and not settled.
CREATE TABLE {schema}.dt_budget_lease (
  budget_id bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  at_ms float8 NOT NULL,
  tier integer NOT NULL,
  -- The wait that was answered, and what caused it: the limit's place, -1 for a pause, null for nothing.
  wait_ms float8 NOT NULL,
  limited_by integer,
  -- For each limit of the budget, as far as there were limits then.
  costs float8[] NOT NULL,
  forget_at_ms float8 NOT NULL,
  PRIMARY KEY (budget_id, id)
);
CREATE INDEX dt_budget_lease_forget ON {schema}.dt_budget_lease (budget_id, forget_at_ms);

-- The answer to a request. limited_by: the limit's place in the request from 0 on, -1 for a pause, null for nothing.
-- other_terms: the terms of the budget, when the request was refused because it has others. maxima: those in force,
-- null where the budget has no stored limits.
CREATE TYPE {schema}.dt_spending AS (
  granted boolean,
  at_ms float8,
  wait_ms float8,
  limited_by integer,
  paused_for_ms float8,
  rests float8[],
  store_time_ms float8,
  other_terms text,
  maxima float8[]
);
