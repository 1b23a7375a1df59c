-- Version 2 of the schema: permits. Keys, the reservations that are still known, the instants given back, and the
-- requests in line.
-- Input: a file of version 1, inside a write transaction. Output: the tables. Cost: once in the life of a file.
--
-- Times are milliseconds on the key's time (the machine's clock plus offset_ms), except keep_until_ms, which is on the
-- machine's clock.

CREATE TABLE permit_keys (
  key_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  tat_ms REAL NOT NULL DEFAULT 0,
  last_ms REAL NOT NULL DEFAULT 0,
  offset_ms REAL NOT NULL DEFAULT 0,
  -- The key may be forgotten after this time.
  keep_until_ms REAL NOT NULL DEFAULT 0,
  -- How often instants were given back.
  releases INTEGER NOT NULL DEFAULT 0,
  -- What the key's users agree on, and what that took the place of; null where nobody has said any.
  terms TEXT,
  former_terms TEXT
) STRICT;

CREATE INDEX permit_keys_by_time ON permit_keys (keep_until_ms);

CREATE TABLE permits (
  key_id INTEGER NOT NULL REFERENCES permit_keys ON DELETE CASCADE,
  id TEXT NOT NULL,
  granted INTEGER NOT NULL,
  first_ms REAL NOT NULL,
  step_ms REAL NOT NULL,
  earliest_ms REAL NOT NULL,
  -- Null for an instant that had been given back.
  tat_before_ms REAL,
  forget_at_ms REAL NOT NULL,
  PRIMARY KEY (key_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX permits_by_time ON permits (key_id, forget_at_ms);

CREATE TABLE freed_permits (
  key_id INTEGER NOT NULL REFERENCES permit_keys ON DELETE CASCADE,
  at_ms REAL NOT NULL,
  -- Order among instants of the same time.
  place INTEGER NOT NULL,
  -- The distance that it keeps to the next.
  width_ms REAL NOT NULL,
  PRIMARY KEY (key_id, at_ms, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE permit_line (
  key_id INTEGER NOT NULL REFERENCES permit_keys ON DELETE CASCADE,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  until_ms REAL NOT NULL,
  PRIMARY KEY (key_id, place),
  UNIQUE (key_id, id)
) STRICT, WITHOUT ROWID;
