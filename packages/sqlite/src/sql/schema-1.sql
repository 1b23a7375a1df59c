-- Version 1 of the schema: groups, their members, and the levels of members that are gone.
-- Input: an empty file, inside a write transaction. Output: the tables. Cost: once in the life of a file.
--
-- Times are milliseconds. Text compares byte by byte, so that names differ as soon as one byte does.
-- The members' indexes are what the ledger asks for: by incarnation, by id, by rank, by expiry, by max.

CREATE TABLE groups (
  group_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL DEFAULT 0,
  pool_size INTEGER NOT NULL DEFAULT 0,
  -- REAL: claims are facts of any size, and a sum beyond 2^53 does not read back as a JavaScript number from an
  -- INTEGER.
  held REAL NOT NULL DEFAULT 0,
  adopted INTEGER NOT NULL DEFAULT 0,
  capacity INTEGER NOT NULL DEFAULT 0,
  largest_pool_size INTEGER NOT NULL DEFAULT 0,
  interval_ms REAL NOT NULL DEFAULT 0,
  created_at_ms REAL NOT NULL DEFAULT 0,
  learn_from_ms REAL NOT NULL DEFAULT 0,
  learn_until_ms REAL NOT NULL DEFAULT 0,
  last_ms REAL NOT NULL DEFAULT 0,
  offset_ms REAL NOT NULL DEFAULT 0,
  lapsed_ms REAL NOT NULL DEFAULT 0,
  quiet_limit_ms REAL NOT NULL DEFAULT 0,
  longest_stale_ms REAL NOT NULL DEFAULT 0,
  clock_error_ms REAL NOT NULL DEFAULT 0,
  ahead_until_ms REAL NOT NULL DEFAULT 0,
  repairs INTEGER NOT NULL DEFAULT 0
) STRICT;

-- A group that is deleted by hand would be made anew beside members that still use their shares.
CREATE TRIGGER groups_with_members BEFORE DELETE ON groups WHEN EXISTS (SELECT 1 FROM members WHERE group_id = OLD.group_id)
BEGIN
  SELECT RAISE(ABORT, 'the group has members; use "dt repair <store> <group> --reset"');
END;

CREATE TABLE members (
  group_id INTEGER NOT NULL,
  incarnation TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  pool_size INTEGER NOT NULL,
  held INTEGER NOT NULL,
  max INTEGER NOT NULL,
  level REAL,
  stale_after_ms REAL NOT NULL,
  clock_error_ms REAL NOT NULL,
  resume_within_ms REAL NOT NULL,
  expires_at_ms REAL NOT NULL,
  standing TEXT NOT NULL CHECK (standing IN ('newcomer', 'holder', 'fenced')),
  joined INTEGER NOT NULL,
  PRIMARY KEY (group_id, incarnation)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX members_by_rank ON members (group_id, rank);
CREATE UNIQUE INDEX members_by_holder ON members (group_id, id) WHERE standing = 'holder';
CREATE INDEX members_by_expiry ON members (group_id, expires_at_ms);
CREATE INDEX members_by_max ON members (group_id, max);

CREATE TABLE levels (
  group_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  level REAL NOT NULL,
  until_ms REAL NOT NULL,
  PRIMARY KEY (group_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX levels_by_time ON levels (group_id, until_ms);
